"""What a gold-history run leaves of one decision."""

from __future__ import annotations

from typing import Any, Final

from skillbench_tasks.models.base import Model

__all__ = ["DECISION_KEY", "GO_ON", "PREDICTION_KEY", "PredictionRecord"]

PREDICTION_KEY: Final = "skillbench:prediction"
"""Where a sample's store holds the prediction."""

DECISION_KEY: Final = "decision"
"""Where a sample's metadata hold the reference and the tools on offer, as JSON text.

`json` is the reference step, `beside` the further calls of a decision set, `optional` whether the
workflow can do without it.
"""

GO_ON: Final = "go_on"
"""Key in the metadata of a message that is the harness's, not the user's."""


class PredictionRecord(Model):
    """A model's output for one decision as it is read, and what its call would have done.

    `history` counts the messages of the sample that stand before the prediction, the policy first.
    `equivalent` is `None` where no world can be started, or where there is no call to carry out.
    """

    prediction: dict[str, Any]
    history: int
    equivalent: bool | None = None
    equivalent_reason: str = ""
    versions: dict[str, str]
