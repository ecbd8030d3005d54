"""Logs as dataframes: what Inspect's own need a word of, for pipelines (`docs/runs.md`).

Inspect writes a score with several values into one column, as JSON, and reads messages from the
calls of a model, of which a run with `--model none` has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from inspect_ai.analysis import SampleColumn
from inspect_ai.log import EvalSample, list_eval_logs, read_eval_log

if TYPE_CHECKING:
    import pandas

__all__ = ["PARTS", "message_table", "score_columns"]

PARTS: Final = {
    "orchestration": ("orchestration", "final", "side_effect", "trace", "terminal_output"),
    "strict_tool": (
        "exact",
        "function_name",
        "argument_f1",
        "exact_any_wording",
        "argument_f1_any_wording",
        "equivalent",
    ),
    "workflow": ("completion", "completion_first_try", "completion_any_wording"),
    "spend": tuple(
        f"{payer}_{what}"
        for payer in ("agent", "user", "mock", "judge")
        for what in ("tokens", "calls", "seconds")
    ),
}
"""Scores with several values: name of the score → names of the values."""


def score_columns(*scores: str) -> list[SampleColumn]:
    """Return a numeric column for each value of scores that have several.

    `samples_df(logs, columns=SampleSummary + score_columns())` has `orchestration_final` and so on.

    Args:
        *scores: Names of the scores; default: all of `PARTS`.
    """
    return [
        SampleColumn(f"{score}_{part}", path=f"$.scores.{score}.value.{part}")
        for score in scores or PARTS
        for part in PARTS[score]
    ]


def message_table(logs: Path) -> pandas.DataFrame:
    """Return the messages of logs, a row each; also of runs without a model.

    Args:
        logs: A log, or a folder of logs.

    Returns:
        Columns `log`, `sample_id`, `epoch`, `order` (from 0), `role`, `content`, `tool_calls`
        (names of functions, blank-separated).
    """
    import pandas

    places = [logs] if logs.is_file() else [Path(i.name) for i in _listed(logs)]
    return pandas.DataFrame(_rows(places), columns=[*_COLUMNS])


_COLUMNS: Final = ("log", "sample_id", "epoch", "order", "role", "content", "tool_calls")


def _listed(folder: Path) -> Sequence[Any]:
    infos = list_eval_logs(str(folder), descending=False)
    for info in infos:
        info.name = info.name.removeprefix("file://")
    return infos


def _rows(places: Sequence[Path]) -> list[tuple[Any, ...]]:
    return [
        (place.name, *row)
        for place in places
        for sample in read_eval_log(str(place)).samples or []
        for row in _messages(sample)
    ]


def _messages(sample: EvalSample) -> Iterator[tuple[Any, ...]]:
    for order, message in enumerate(sample.messages):
        calls = getattr(message, "tool_calls", None) or []
        names = " ".join(call.function for call in calls)
        yield sample.id, sample.epoch, order, message.role, message.text, names
