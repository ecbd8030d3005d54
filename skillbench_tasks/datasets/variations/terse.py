"""Messages that say the facts and nothing else."""

from __future__ import annotations

from skillbench_tasks.datasets.mutants.story import Story
from skillbench_tasks.datasets.variations.variation import Drafts

__all__ = ["terse"]


def terse(story: Story) -> Drafts:
    """Yield runs whose messages are as short as they can be."""
    yield from ()
