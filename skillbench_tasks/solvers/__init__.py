"""Solvers: the agent and user loop, user simulators, agents."""

from __future__ import annotations

__all__: list[str] = []
