"""Words that are heard alike in every skill: loaded from `house_texts.yaml`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from skillbench_tasks.files import model_from, read_yaml
from skillbench_tasks.models import HouseTexts

__all__ = ["load_house_texts"]


@cache
def load_house_texts() -> HouseTexts:
    """Return the house's words for a hand-over and for what is left open."""
    path = Path(__file__).parent / "house_texts.yaml"
    return model_from(HouseTexts, read_yaml(path), path, "")
