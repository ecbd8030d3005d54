"""Adapters: foreign data read where the user has it; nothing of it is copied."""

from __future__ import annotations

__all__: list[str] = []
