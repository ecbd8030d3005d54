"""Two runs side by side: aligned calls, normalised values, required arguments.

Calls are aligned by a longest common subsequence of their tool names; of the longest ones by one in
which most calls have equal required arguments, queries compared by what they do; of those by the
one that pairs the earliest calls of the candidate, then of the reference. Where the two sequences
are equal, every call is aligned with the one in its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any, Final, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.models.sop import Executed, ExecutedCall
from skillbench_tasks.scorers.sequence_alignment import aligned_pairs
from skillbench_tasks.scorers.trace.context import ScoringContext
from skillbench_tasks.scorers.trace.generated_values import (
    GeneratedIds,
    Names,
    content_names,
    paired_ids,
)
from skillbench_tasks.tools.call_forms import Leaves, leaves_of

__all__ = ["Comparison"]

_Pairs: TypeAlias = tuple[tuple[ExecutedCall, ExecutedCall], ...]
"""Calls of the reference with the candidate's calls that are aligned with them."""

_SAYS_NOTHING: Final[Mapping[str, Any]] = {}


class Comparison:
    """A reference run and the run that is graded.

    Args:
        reference: The reference run.
        candidate: The run that is graded.
        context: Schemas, collections, clock and queries.
    """

    def __init__(self, reference: Executed, candidate: Executed, context: ScoringContext) -> None:
        self.reference: Final = reference
        self.candidate: Final = candidate
        self.expected: Final = Counter(call.tool for call in reference.calls)
        self.actual: Final = Counter(call.tool for call in candidate.calls)
        self._context: Final = context
        self._ids: Final = GeneratedIds(context.specs)

    @cached_property
    def has_equal_order(self) -> bool:
        """Whether both runs call the same tools in the same order."""
        return [c.tool for c in self.reference.calls] == [c.tool for c in self.candidate.calls]

    @cached_property
    def pairs(self) -> tuple[tuple[ExecutedCall, ExecutedCall], ...]:
        """The aligned calls, of the reference and of the candidate, in order.

        Queries are compared with generated ids replaced, and which ids stand for each other follows
        from an alignment: a first one, in which queries are compared by their text, says that.
        """
        names = self._names_by(self._first_pairs)
        partners = self._partners_of(self._first_pairs)
        return self._aligned(
            names, lambda want, got: not self._differing_queries(want, got, partners)
        )

    @cached_property
    def _first_pairs(self) -> _Pairs:
        def is_same_text(expected: ExecutedCall, actual: ExecutedCall) -> bool:
            queries = self._required_queries(expected.tool)
            return all(expected.arguments.get(q) == actual.arguments.get(q) for q in queries)

        now = self._context.now
        want, got = (Names(self._ids, names, now) for names in self._contents)
        return self._aligned((want, got), is_same_text)

    def _aligned(
        self,
        names: tuple[Names, Names],
        has_same_queries: Callable[[ExecutedCall, ExecutedCall], bool],
    ) -> _Pairs:
        first, second = self.reference.calls, self.candidate.calls
        if self.has_equal_order:
            return tuple(zip(first, second, strict=True))
        wanted = [self._required_leaves(call, names[0]) for call in first]
        made = [self._required_leaves(call, names[1]) for call in second]

        @cache
        def is_equal(i: int, j: int) -> bool:
            return wanted[i] == made[j] and has_same_queries(first[i], second[j])

        places = aligned_pairs([c.tool for c in first], [c.tool for c in second], is_equal)
        return tuple((first[i], second[j]) for i, j in places)

    def wrong_arguments(self) -> str:
        """Return where a required argument of an aligned call differs, or nothing."""
        if not self.pairs:
            if not self.reference.calls and not self.candidate.calls:
                return ""
            return "no call is aligned with one of the reference"
        want, got = self._names
        for expected, actual in self.pairs:
            differing = self._required_leaves(expected, want) ^ self._required_leaves(actual, got)
            fields = sorted({str(path[0]) for path, _ in differing})
            fields += self._differing_queries(expected, actual, self._partners)
            if fields:
                return f"{expected.tool}: {', '.join(fields)}"
        return ""

    def named_outputs(self) -> tuple[JsonValue, JsonValue]:
        """Return the terminal outputs, what was generated in them replaced by names."""
        want, got = self._names
        return want.of(self.reference.value), got.of(self.candidate.value)

    @cached_property
    def _contents(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Generated ids of the reference and of the candidate → names after their content."""
        specs = self._context.specs
        return (
            content_names(self.reference.changes, specs),
            content_names(self.candidate.changes, specs),
        )

    @cached_property
    def _partners(self) -> Mapping[str, str]:
        return self._partners_of(self.pairs)

    @cached_property
    def _names(self) -> tuple[Names, Names]:
        return self._names_by(self.pairs)

    def _partners_of(self, pairs: _Pairs) -> Mapping[str, str]:
        return paired_ids(((want.result, got.result) for want, got in pairs), self._ids)

    def _names_by(self, pairs: _Pairs) -> tuple[Names, Names]:
        """Names of what the reference and the candidate generated; paired ids have one name."""
        want, got = (dict(names) for names in self._contents)
        now = self._context.now
        for actual, expected in self._partners_of(pairs).items():
            want[expected] = got[actual] = f"<{expected}>"
        return Names(self._ids, want, now), Names(self._ids, got, now)

    def _schema(self, tool: str) -> Mapping[str, Any]:
        return self._context.schemas.get(tool, _SAYS_NOTHING)

    def _required_leaves(self, call: ExecutedCall, names: Names) -> Leaves:
        """Return the leaves of a call's required arguments, queries left out, in normal form."""
        schema = self._schema(call.tool)
        required = set(schema.get("required", ())) - set(self._context.queries.arguments(call.tool))
        given = {name: names.of(v) for name, v in call.arguments.items() if name in required}
        return leaves_of(given, schema)

    def _required_queries(self, tool: str) -> list[str]:
        required = self._schema(tool).get("required", ())
        return [name for name in self._context.queries.arguments(tool) if name in required]

    def _differing_queries(
        self, expected: ExecutedCall, actual: ExecutedCall, partners: Mapping[str, str]
    ) -> list[str]:
        names = self._required_queries(expected.tool)
        if not names:
            return []
        same_ids = Names(self._ids, partners)
        arguments = {name: same_ids.of(value) for name, value in actual.arguments.items()}
        translated = actual.model_copy(update={"arguments": arguments})
        queries = self._context.queries
        return [name for name in names if not queries.equal(name, expected, translated)]
