"""Datasets: skills, worlds, gold conversations, and the loaders that make cases of them."""

from __future__ import annotations

__all__: list[str] = []
