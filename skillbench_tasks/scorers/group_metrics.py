"""Rows of labelled cases: means by group, and how often each failure category was given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Final

from inspect_ai.scorer import Metric, SampleScore, metric, value_to_float

from skillbench_tasks.models.judgement import ReplayFailure, TurnFailure

__all__ = ["Judged", "failure_categories", "group_means"]


class Judged(StrEnum):
    """What is labelled."""

    TURNS = "turns"
    REPLAYS = "replays"


_CATEGORIES: Final[dict[Judged, list[str]]] = {
    Judged.TURNS: [str(one) for one in TurnFailure],
    Judged.REPLAYS: [str(one) for one in ReplayFailure],
}
_APART: Final = {
    Judged.TURNS: ("action", ("text", "tool")),
    Judged.REPLAYS: ("needs", ("tools", "no_tools")),
}
"""Key of the samples' metadata, and its values, by which categories are counted apart too."""


@metric
def group_means(keys: Sequence[str]) -> Metric:
    """Mean of each group of samples, as `<key>=<group>`.

    One metric for several keys: of two `grouped` over one value Inspect keeps the first.

    Args:
        keys: Keys of the samples' metadata.
    """
    to_float = value_to_float()

    def means(scores: list[SampleScore]) -> dict[str, float]:
        values: dict[str, list[float]] = {}
        for key in keys:
            for one in scores:
                group = (one.sample_metadata or {}).get(key)
                if group is not None:
                    values.setdefault(f"{key}={group}", []).append(to_float(one.score.value))
        return {name: sum(given) / len(given) for name, given in values.items()}

    return means


@metric(scores="unreduced")
def failure_categories(of: str = Judged.TURNS) -> Metric:
    """How often each failure category was given, over all verdicts: `category <name>`.

    `none` counts the passes. Beside it the same apart for text and tool decisions, or for workflows
    with and without tools (`category <name> <group>`), and where there are several judges for each
    (`category <name>: <judge>`).

    Args:
        of: What is judged: `turns` or `replays`.
    """
    categories = _CATEGORIES[Judged(of)]
    key, groups = _APART[Judged(of)]

    def rows(scores: list[SampleScore]) -> dict[str, float]:
        if not scores:  # nobody judged: no table of zeros
            return {}
        given = [
            (str((one.sample_metadata or {}).get(key)), judge, category)
            for one in scores
            for judge, category in _given(one.score.metadata or {})
        ]
        total = Counter(category for _group, _judge, category in given)
        found = {f"category {name}": float(total[name]) for name in categories}
        by_group = Counter((group, category) for group, _judge, category in given)
        for group in groups:
            found |= {
                f"category {name} {group}": float(by_group[group, name]) for name in categories
            }
        by_judge = Counter((judge, category) for _group, judge, category in given)
        judges = sorted({judge for judge, _category in by_judge})
        for judge in judges if len(judges) > 1 else ():
            found |= {
                f"category {name}: {judge}": float(by_judge[judge, name]) for name in categories
            }
        return found

    return rows


def _given(metadata: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield judge and category of each verdict."""
    for judge, answers in metadata.get("answers", {}).items():
        for answer in answers:
            if answer["kind"] == "label":
                yield judge, answer["failure_category"]
