"""What a gold-history run leaves of one decision."""

from __future__ import annotations

from typing import Any, Final

from skillbench_tasks.models.base import Model

__all__ = ["DECISION_KEY", "PREDICTION_KEY", "PredictionRecord"]

PREDICTION_KEY: Final = "skillbench:prediction"
"""Where a sample's store holds the prediction."""

DECISION_KEY: Final = "decision"
"""Where a sample's metadata hold the reference step and the schemas of the tools, as JSON text."""


class PredictionRecord(Model):
    """A model's output for one decision as it is read, and what its call would have done.

    `equivalent` is `None` where no world can be started, or where there is no call to carry out.
    """

    prediction: dict[str, Any]
    equivalent: bool | None = None
    equivalent_reason: str = ""
    versions: dict[str, str]
