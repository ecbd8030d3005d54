"""Tables of a judge panel: coverage, grades and agreement, each figure with its n."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspect_ai.log import EvalLog, EvalScore

from skillbench_tasks.models import DIMENSIONS
from skillbench_tasks.reports.text_table import text_table

__all__ = ["counts_passes", "panel_tables"]

_PANEL: Final = "judge_panel"
_SHORT: Final = ("workflow", "tool use", "guardrails", "communication", "efficiency")
"""Heads of the dimensions' columns, in their order."""


def counts_passes(reducer: str | None) -> bool:
    """Return whether an epochs' reducer counts runs of value 1 or more: pass^k, pass@k, at least k.

    It says nothing of grades and rates: each grade from 1 on would be a pass.
    """
    return reducer is not None and reducer.startswith(("pass_", "at_least"))


def panel_tables(log: EvalLog) -> list[str]:
    """Return the tables of every panel in a log; none where no judge graded.

    Args:
        log: A log with results.
    """
    scores = [
        score
        for score in (log.results.scores if log.results else [])
        if score.scorer.startswith(_PANEL)
    ]
    panels = dict.fromkeys(score.scorer for score in scores)
    return [
        table
        for panel in panels
        for table in _tables([score for score in scores if score.scorer == panel])
    ]


def _tables(scores: list[EvalScore]) -> list[str]:
    rows: dict[str, EvalScore] = {}
    for score in scores:
        if "mean" in score.metrics:
            known = rows.setdefault(score.name, score)  # of several epoch reducers the first
            if counts_passes(known.reducer) and not _is_vote(score.name):
                rows[score.name] = score  # that does not count passes, if there is one
    if "panel_pass" not in rows:
        return []
    judges = [name.removeprefix("pass:") for name in rows if name.startswith("pass:")]
    head = ("judge", "pass", *_SHORT, "hallucinated", "scored")
    table = [_judge_row(judge, f":{judge}", f"pass:{judge}", rows) for judge in judges]
    table.append(_judge_row("all judges", "", "panel_pass", rows))
    figures = {
        name: float(metric.value)
        for score in scores
        for name, metric in score.metrics.items()
        if score.name == score.scorer
    }
    return [text_table(head, table), *_agreement(figures)]


def _is_vote(name: str) -> bool:
    return name == "panel_pass" or name.startswith("pass:")


def _judge_row(name: str, suffix: str, vote: str, rows: Mapping[str, EvalScore]) -> tuple[str, ...]:
    score = rows[vote]
    scored = score.scored_samples or 0
    planned = scored + (score.unscored_samples or 0)
    grades = (_grade(rows[f"{dimension}{suffix}"]) for dimension in DIMENSIONS)
    told = rows[f"hallucinated_action{suffix}"]
    acted = "not pass^k" if counts_passes(told.reducer) else _share(told.metrics["mean"].value)
    return (name, _share(score.metrics["mean"].value), *grades, acted, f"{scored}/{planned}")


def _agreement(figures: Mapping[str, float]) -> list[str]:
    pairs = [name.removeprefix("n: ") for name in figures if name.startswith("n: ")]
    if not pairs:
        return []
    rows = [
        (
            pair,
            *(
                _figure(figures, f"{kind}: {pair}")
                for kind in ("raw agreement", "kappa", "pabak", "ac1", "prevalence")
            ),
            f"{figures[f'n: {pair}']:.0f}",
        )
        for pair in pairs
    ]
    kappa_n = f"{figures['mean kappa n pairs']:.0f}/{figures['pairs']:.0f} pairs"
    rows.append(
        (
            "mean over pairs",
            _figure(figures, "mean raw agreement"),
            _figure(figures, "mean kappa"),
            "",
            "",
            "",
            kappa_n,
        )
    )
    alpha = _figure(figures, "alpha")
    rows.append(
        ("Krippendorff's α, all judges", "", alpha, "", "", "", f"{figures['alpha n']:.0f}")
    )
    head = ("two judges", "raw", "κ", "PABAK", "AC1", "prevalence", "n")
    return [text_table(head, rows)]


def _figure(figures: Mapping[str, float], name: str) -> str:
    return f"{figures[name]:.3f}" if name in figures else "undefined"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %" if value == value else "unscored"


def _grade(score: EvalScore) -> str:
    if counts_passes(score.reducer):
        return "not pass^k"
    value = score.metrics["mean"].value
    return f"{value:.2f}" if value == value else "unscored"
