"""What no agent asks for: loaded from `forbidden_slots.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from skillbench_tasks.files import model_from, read_yaml
from skillbench_tasks.models import ForbiddenSlot

__all__ = ["load_forbidden_slots"]


@cache
def load_forbidden_slots() -> Mapping[str, ForbiddenSlot]:
    """Return what is never asked for, by name."""
    path = Path(__file__).parent / "forbidden_slots.yaml"
    return {
        name: model_from(ForbiddenSlot, entry, path, f"slots.{name}")
        for name, entry in read_yaml(path)["slots"].items()
    }
