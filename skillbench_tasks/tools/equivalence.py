"""Whether a predicted call does what the reference call does, at this point of this world.

Both are carried out on copies of the same toolbox: same world, same ledger, same faults still to
come. In this order:

1. A call that is the reference call (same function, same arguments in normal form) is equivalent.
2. A call that cannot be carried out (unreadable or refused arguments, no such tool), or that a mock
   would answer, is equivalent to nothing else.
3. *Subject*: an argument that both give and that names a record must name the same one.
4. *Outcome*: both succeed with equal results, or both fail by the same error (code, message,
   retryable); and both change the world alike (`skillbench_tasks.tools.compare`: generated ids by
   content, free text by presence, sets without order).
5. *Function*: where nothing changes, the function must be the same.
6. *Evidence*: where nothing changes, the outcome of either call must hang on what only that call
   says: with other values there (`skillbench_tasks.tools.control_calls`) it is another. Two wrong
   passwords are not the same because both are refused, nor two searches because neither finds
   anything.
7. *News*: where nothing changes, a call that was carried out before is no substitute for one that
   was not: what it would answer is known already.

All of this holds without the faults that the toolbox declares: two calls are not the same because
one outage strikes both. Where it declares some, 4 and 5 hold with them too.

A record that a result holds compares as it does in the world, so that a reply which repeats the
caller's own wording differs no more than the world does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.json_text import strings_of
from skillbench_tasks.models import CallError, Change, CollectionSpec, Model
from skillbench_tasks.tools.call_forms import Leaves, Path, ToolUse, leaves_of
from skillbench_tasks.tools.compare import canonical_record, diff, made_names
from skillbench_tasks.tools.control_calls import control_arguments
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.workflow.values import equal_values
from skillbench_tasks.tools.world import World

__all__ = ["Equivalence", "commutes", "equivalent"]

_PLAIN: Final = CollectionSpec(key="", prefix="")
_REFUSED: Final = ("invalid_arguments", "unknown_tool")


class Equivalence(Model):
    """Whether two calls do the same, and why, or why not."""

    equivalent: bool
    reason: str


def equivalent(reference: ToolUse, predicted: ToolUse, toolbox: Toolbox) -> Equivalence:
    """Return whether a predicted call has the effect and the result of the reference call.

    Args:
        reference: What the gold conversation does here; full names or function names.
        predicted: What the model does.
        toolbox: The tools and the world before the decision; it is not changed.
    """
    if reference.arguments is None or predicted.arguments is None:
        return _no("the arguments cannot be read")
    names = {tool.spec.function_name: name for name, tool in toolbox.tools.items()}
    pair = _Pair(
        toolbox,
        _Use(names.get(reference.tool, reference.tool), reference.arguments),
        _Use(names.get(predicted.tool, predicted.tool), predicted.arguments),
    )
    if pair.is_one_call:
        return Equivalence(equivalent=True, reason="it is the same call")
    problem = (
        pair.obstacle()
        or (toolbox.has_faults and pair.difference(faults=True))
        or pair.difference(faults=False)
        or pair.doubt()
    )
    return _no(problem) if problem else Equivalence(equivalent=True, reason="it does the same")


def commutes(before: Sequence[ToolUse], call: ToolUse, toolbox: Toolbox) -> bool:
    """Return whether a call may as well be made before others: same results, same end world.

    Results are compared as they are: two calls that draw ids from one sequence do not commute. Nor
    do calls of which one names a record that the other makes or changes, even where no tool minds
    (a message that confirms what is not done yet). Nothing may fail in either order.

    Args:
        before: The calls that come before it, in order.
        call: The call.
        toolbox: The tools and the world before all of them; it is not changed.
    """
    in_order, late = _played([*before, call], toolbox)
    moved, early = _played([call, *before], toolbox)
    if in_order is None or moved is None:
        return False
    start, specs = toolbox.world, toolbox.world.specs
    made_before = _played(before, toolbox)[1].world.changes_since(start)
    made_by_call = _played([call], toolbox)[1].world.changes_since(start)
    if _is_named(made_before, [call]) or _is_named(made_by_call, before):
        return False
    differences = diff(late.world.changes_since(start), early.world.changes_since(start), specs)
    return not differences and equal_values([in_order[-1], *in_order[:-1]], moved)


def _played(calls: Sequence[ToolUse], toolbox: Toolbox) -> tuple[list[JsonValue] | None, Toolbox]:
    """Carry calls out on a copy; no results where one fails."""
    names = {tool.spec.function_name: name for name, tool in toolbox.tools.items()}
    twin = toolbox.copy()
    done = [twin.attempt(names.get(one.tool, one.tool), one.arguments or {}) for one in calls]
    failed = any(one.error is not None for one in done)
    return None if failed else [one.result for one in done], twin


def _is_named(changes: Sequence[Change], calls: Sequence[ToolUse]) -> bool:
    """Return whether calls name a record that was made or changed."""
    named = {text for one in calls for text in strings_of(dict(one.arguments or {}))}
    return any(change.key in named for change in changes)


@dataclass(frozen=True)
class _Use:
    """A call by the tool's full name."""

    tool: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True)
class _Outcome:
    """What a call left behind."""

    result: JsonValue
    error: CallError | None
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class _Pair:
    """The reference call and the predicted one, before they are carried out."""

    toolbox: Toolbox
    reference: _Use
    predicted: _Use

    @property
    def is_one_call(self) -> bool:
        return self._is_same_tool and self._leaves(self.reference) == self._leaves(self.predicted)

    def obstacle(self) -> str:
        """Return why there is nothing to carry out or to compare, or nothing."""
        for use in (self.reference, self.predicted):
            tool = self.toolbox.tools.get(use.tool)
            if tool is None:
                return f"there is no tool {use.tool}"
            if not tool.spec.is_declared:
                return f"a mock answers {use.tool}: only the same call is known to do the same"
        return _other_subject(
            self._leaves(self.reference), self._leaves(self.predicted), self.toolbox.world
        )

    def difference(self, *, faults: bool) -> str:
        """Return how the outcomes of the two calls differ, or nothing."""
        want = _carry_out(self.toolbox, self.reference, faults=faults)
        got = _carry_out(self.toolbox, self.predicted, faults=faults)
        if any(one.error and one.error.code in _REFUSED for one in (want, got)):
            return "the tool refuses it"
        if want.error != got.error:
            return f"{_ended(got)} instead of {_ended(want)}"
        specs = self.toolbox.world.specs
        differences = diff(want.changes, got.changes, specs)
        if differences:
            first = differences[0]
            return f"other effect: {first.kind} {first.collection} {first.key}"
        if not equal_values(_canonical(want, specs), _canonical(got, specs)):
            return "other result"
        if not want.changes and not self._is_same_tool:
            return "another tool, and nothing in the world shows that it does the same"
        return ""

    def doubt(self) -> str:
        """Return why equal outcomes do not show that the calls mean the same, or nothing."""
        if _carry_out(self.toolbox, self.reference, faults=False).changes:
            return ""
        if self._is_repeated(self.predicted) and not self._is_repeated(self.reference):
            return "it was carried out before, and the reference was not"
        reference, predicted = self._leaves(self.reference), self._leaves(self.predicted)
        for use, own in (
            (self.reference, reference - predicted),
            (self.predicted, predicted - reference),
        ):
            if own and not self._hangs_on(use, {path for path, _ in own}):
                shown = ", ".join(sorted({str(path[0]) for path, _ in own}))
                return f"the outcome does not hang on {shown}: nothing shows that it means the same"
        return ""

    def _hangs_on(self, use: _Use, paths: set[Path]) -> bool:
        """Return whether a call that changes nothing ends otherwise with other values there."""
        outcome = _carry_out(self.toolbox, use, faults=False)
        schema = self.toolbox.tools[use.tool].spec.input_schema
        for arguments in control_arguments(use.arguments, paths, schema):
            control = _carry_out(self.toolbox, _Use(use.tool, arguments), faults=False)
            if control.error and control.error.code in _REFUSED:
                continue
            if control.changes or control.error != outcome.error:
                return True
            if not equal_values(control.result, outcome.result):
                return True
        return False

    def _is_repeated(self, use: _Use) -> bool:
        leaves = self._leaves(use)
        return any(
            entry.error is None
            and entry.tool == use.tool
            and self._leaves(_Use(entry.tool, entry.arguments)) == leaves
            for entry in self.toolbox.ledger
        )

    @property
    def _is_same_tool(self) -> bool:
        return self.reference.tool == self.predicted.tool

    def _leaves(self, use: _Use) -> Leaves:
        tool = self.toolbox.tools.get(use.tool)
        schema: Mapping[str, Any] = tool.spec.input_schema if tool else {}
        return leaves_of(use.arguments, schema)


def _no(reason: str) -> Equivalence:
    return Equivalence(equivalent=False, reason=reason)


def _ended(outcome: _Outcome) -> str:
    return f"error {outcome.error.code}" if outcome.error else "success"


def _carry_out(toolbox: Toolbox, use: _Use, *, faults: bool) -> _Outcome:
    twin = toolbox.copy(faults=faults)
    done = twin.attempt(use.tool, use.arguments)
    return _Outcome(done.result, done.error, twin.world.changes_since(toolbox.world))


def _other_subject(reference: Leaves, predicted: Leaves, world: World) -> str:
    """Return the argument in which the two name different records, or nothing."""
    want, got = _by_path(reference), _by_path(predicted)
    differing = {value for path in want.keys() & got.keys() for value in want[path] ^ got[path]}
    texts = sorted(value for value in differing if isinstance(value, str))
    named = [text for text in texts if _names_record(text, world)]
    return f"another subject: {' and '.join(named)}" if named else ""


def _by_path(leaves: Leaves) -> Mapping[Path, set[Hashable]]:
    values: dict[Path, set[Hashable]] = defaultdict(set)
    for path, value in leaves:
        values[path].add(value)
    return values


def _names_record(value: str, world: World) -> bool:
    """Return whether a value is a record's key, or has the form of a key."""
    prefix, _, number = value.rpartition("-")
    return any(
        (prefix == spec.prefix and number.isdigit()) or world.get(name, value) is not None
        for name, spec in world.specs.items()
    )


def _canonical(outcome: _Outcome, specs: Mapping[str, CollectionSpec]) -> JsonValue:
    """Return a result in the form in which two are compared."""
    names = made_names(outcome.changes, specs)

    def form(value: JsonValue) -> JsonValue:
        if isinstance(value, list):
            return [form(part) for part in value]
        if not isinstance(value, dict):
            return canonical_record({"": value}, _PLAIN, names)
        change = _change_of(value, outcome.changes, specs)
        if change is None:
            return {name: form(part) for name, part in value.items()}
        return canonical_record(value, specs[change.collection], names, change.before)

    return form(outcome.result)


def _change_of(
    value: Mapping[str, JsonValue], changes: tuple[Change, ...], specs: Mapping[str, CollectionSpec]
) -> Change | None:
    """Return the change of the record that an object in a result shows, whole or in part."""
    for change in changes:
        if value == change.after:
            return change
    for change in changes:
        if value.get(specs[change.collection].key) == change.key:
            return change
    return None
