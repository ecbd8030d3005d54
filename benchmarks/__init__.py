"""Measurements of speed: `python -m benchmarks` (or `make bench`); no test asserts them."""

from __future__ import annotations

__all__: list[str] = []
