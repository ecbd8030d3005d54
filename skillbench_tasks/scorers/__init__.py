"""Scorers: pure functions of checks and episode, and their Inspect shells."""

from __future__ import annotations

__all__: list[str] = []
