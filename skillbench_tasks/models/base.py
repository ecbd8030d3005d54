"""The base of all models."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue

__all__ = ["Model", "Record"]

Record: TypeAlias = dict[str, JsonValue]
"""One record of a world: field name → value."""


class Model(BaseModel):
    """Base of all models: frozen, unknown keys forbidden."""

    model_config = ConfigDict(frozen=True, extra="forbid")
