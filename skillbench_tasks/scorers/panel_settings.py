"""Options of a panel of judges, checked, and as they stand beside every score."""

from __future__ import annotations

from typing import Any, Final

from skillbench_tasks.scorers.panel import TieRule
from skillbench_tasks.scorers.rubric import Rubric
from skillbench_tasks.task_options import require_choice, require_positive, require_share
from skillbench_tasks.versions import GRADER_VERSION

__all__ = ["TIMEOUT_SECONDS", "UNSCORED_MAX", "panel_settings"]

UNSCORED_MAX: Final = 0.1
"""Share of a judge's verdicts that may be missing before the run counts as failed."""

TIMEOUT_SECONDS: Final = 600
"""How long a judge's call may take."""


def panel_settings(
    page: Rubric, *, samples: int, tie: str, max_unscored: float, timeout: int
) -> dict[str, Any]:
    """Return what results say of a panel.

    Args:
        page: The rubric.
        samples: Answers asked of each judge.
        tie: What an even vote says.
        max_unscored: Share of verdicts that may be missing.
        timeout: Seconds after which a judge's call is given up; checked, no part of the result.

    Raises:
        OptionError: An option is off its range.
    """
    require_positive("judge_samples", samples)
    require_positive("timeout", timeout)
    require_choice("judge_tie", tie, TieRule)
    require_share("max_unscored", max_unscored)
    return {
        "rubric": {"name": page.name, "version": page.version, "sha256": page.digest},
        "samples": samples,
        "tie": tie,
        "max_unscored": max_unscored,
        "grader_version": GRADER_VERSION,
    }
