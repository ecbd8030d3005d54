"""Reports: what people read of cases, runs and the suite's proofs about itself."""

from __future__ import annotations

__all__: list[str] = []
