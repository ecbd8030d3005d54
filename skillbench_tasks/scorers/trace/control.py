"""Control path: branches, loops, error handling and termination as the reference took them.

A step-by-step run has no branches of its own, so the control path is judged by what can be seen of
any run: its calls with their errors, and how it ended. What the reference decided on this variant
has consequences for the calls; the candidate has the control path when every one of them holds.
Below, *r(t)* and *c(t)* say how often the reference and the candidate call the tool *t*.

1. *Left out*: for every tool of a call node that the reference did not reach on this variant (the
   other branch, a loop without items, a `catch` without an error, what stands behind an error or
   a `return`): c(t) ≤ r(t).
2. *Chosen*: for every tool that the reference calls in a branch or in a `catch`: c(t) ≥ r(t).
3. *Repeated*: for every tool that the reference calls in a loop: c(t) = r(t).
4. *Caught*: for every tool and error code that the reference caught, the candidate met that error
   of that tool as often, at least; and after the first of the errors that a `try` caught it called
   every tool that the `catch` called.
5. *End*: the candidate ends as the reference does. A reference that ends in order (`returned`,
   `completed`) wants a candidate that does; one that fails by an error wants one that fails by, or
   ends right after, the same error of the same tool. `invalid`, `exhausted`, `stopped` are never
   right.
6. *Not too soon*: the tool of the reference's last call is called as often as in the reference, at
   least.
7. *Not too late*: where a `return` or an error cut off calls that stand behind it, the candidate
   makes no call once it has made all of the reference's (each tool as often).

It does not see which of two branches ran when both call the same tools equally often, which items a
loop went over, or decisions without calls; a tool that is called in a loop and outside it is
counted as one. Most of that the other components see: arguments, side effects, output.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, TypeAlias

from skillbench_tasks.models.sop import Executed, ExecutedCall
from skillbench_tasks.scorers.trace.comparison import Comparison
from skillbench_tasks.scorers.workflow_nodes import BlockKind, PlacedNode, call_nodes
from skillbench_tasks.tools.workflow.language import Program

__all__ = ["control_fault"]

_IN_ORDER: Final = ("returned", "completed")

_Error: TypeAlias = tuple[str, str]
"""A tool and the code of its error."""


def control_fault(program: Program, runs: Comparison) -> str:
    """Return the first consequence of the reference's decisions that does not hold, or nothing.

    Args:
        program: The reference workflow.
        runs: Its run on the variant, with the calls' paths and the control events, and the run
            that is graded, whose paths and control events are not looked at.
    """
    judged = _Judged(program, runs)
    faults = (
        *judged.left_out(),
        *judged.chosen_or_repeated(),
        *judged.caught(),
        *judged.end(),
    )
    return faults[0] if faults else ""


class _Judged:
    def __init__(self, program: Program, runs: Comparison) -> None:
        self._want, self._got = runs.reference, runs.candidate
        self._expected, self._actual = runs.expected, runs.actual
        self._calls = {placed.path: (node.tool, placed) for node, placed in call_nodes(program)}

    def left_out(self) -> Iterator[str]:
        reached = {call.path for call in self._want.calls}
        for tool in sorted({t for path, (t, _) in self._calls.items() if path not in reached}):
            if self._actual[tool] > self._expected[tool]:
                yield f"{tool} is called where the reference leaves it out"

    def chosen_or_repeated(self) -> Iterator[str]:
        for tool in sorted(self._called_in("loop")):
            if self._actual[tool] != self._expected[tool]:
                counts = f"{self._actual[tool]} times instead of {self._expected[tool]}"
                yield f"{tool} of a loop is called {counts}"
        for tool in sorted(self._called_in("branch", "handler")):
            if self._actual[tool] < self._expected[tool]:
                yield f"{tool} of the branch taken is not called"

    def caught(self) -> Iterator[str]:
        met = Counter(_errors(self._got))
        due: Counter[_Error] = Counter()
        errors_of: dict[str, set[_Error]] = {}
        for event in self._want.control:
            if event["event"] == "caught":
                error = _caught_error(event["error"])
                due[error] += 1
                errors_of.setdefault(str(event["path"]), set()).add(error)
        for (tool, code), times in sorted(due.items()):
            if met[tool, code] < times:
                yield f"the error {code} of {tool} is not met"
        for path, errors in errors_of.items():
            first = _first_place(self._got.calls, errors)
            later = {call.tool for call in self._got.calls[first + 1 :]}
            for tool in sorted(self._called_under(f"{path}.catch[") - later):
                yield f"{tool} does not follow the error that it handles"

    def end(self) -> Iterator[str]:
        if not self._ends_alike():
            yield f"ended as {self._got.status} instead of {self._want.status}"
        if self._want.calls:
            last = self._want.calls[-1].tool
            if self._actual[last] < self._expected[last]:
                yield f"ended before {last}, the reference's last call"
        if self._is_cut_off() and self._goes_on():
            yield "went on after the reference's end"

    def _ends_alike(self) -> bool:
        if self._want.status in _IN_ORDER:
            return self._got.status in _IN_ORDER
        is_last = _errors(self._got)[-1:] == _errors(self._want)[-1:]
        return self._got.status in (*_IN_ORDER, "failed") and is_last and _ends_in_error(self._got)

    def _is_cut_off(self) -> bool:
        """Whether calls stand behind the place at which the reference ended."""
        end = self._end_path()
        return end is not None and any(
            _stands_behind(placed, end) for _, placed in self._calls.values()
        )

    def _end_path(self) -> str | None:
        if self._want.status == "failed":
            return self._want.calls[-1].path if self._want.calls else None
        ends = [event for event in self._want.control if event["event"] == "return"]
        return str(ends[-1]["path"]) if ends else None

    def _goes_on(self) -> bool:
        missing = Counter(self._expected)
        for call in self._got.calls:
            if not +missing:
                return True
            missing[call.tool] -= 1
        return False

    def _called_in(self, *kinds: BlockKind) -> set[str]:
        """Return the tools that the reference called inside a block of one of the kinds."""
        reached = {call.path for call in self._want.calls}
        return {
            tool
            for path, (tool, placed) in self._calls.items()
            if path in reached and set(kinds) & set(placed.blocks)
        }

    def _called_under(self, path: str) -> set[str]:
        return {c.tool for c in self._want.calls if c.path and c.path.startswith(path)}


def _errors(run: Executed) -> list[_Error]:
    return [(call.tool, call.error.code) for call in run.calls if call.error is not None]


def _ends_in_error(run: Executed) -> bool:
    return bool(run.calls) and run.calls[-1].error is not None


def _caught_error(error: object) -> _Error:
    assert isinstance(error, dict)  # the executor writes the event
    return str(error["tool"]), str(error["code"])


def _first_place(calls: tuple[ExecutedCall, ...], errors: set[_Error]) -> int:
    """Return where one of the errors is first met; behind all calls when none is."""
    places = (
        place
        for place, call in enumerate(calls)
        if call.error is not None and (call.tool, call.error.code) in errors
    )
    return next(places, len(calls))


def _stands_behind(placed: PlacedNode, end: str) -> bool:
    """Return whether a node would have come after the place `end`, had the run gone on.

    It stands later in a block that holds both. A branch or `catch` beside the one that holds `end`
    would not have come.
    """
    for here, there in zip(_steps(placed.path), _steps(end), strict=False):
        if here != there:
            (block, index), (end_block, end_index) = here, there
            return block == end_block and index > end_index
    return False


def _steps(path: str) -> list[tuple[str, int]]:
    """Return the blocks and positions that lead to a node: `steps[2].then[0]`."""
    parts = (part.rstrip("]").partition("[") for part in path.split("."))
    return [(block, int(index)) for block, _, index in parts]
