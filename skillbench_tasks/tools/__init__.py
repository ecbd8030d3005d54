"""Tools: worlds, declared behaviours, faults, toolkits, the catalogue and the workflow language."""

from __future__ import annotations

__all__: list[str] = []
