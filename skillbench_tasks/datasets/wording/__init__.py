"""Does the authored wording of a gold conversation say what its skeleton says, and no more?

The checks read surfaces, not meaning: they find what is missing, made up, asked or claimed out of
place. `opening_overlaps` and `repeated_sentences` look at a whole corpus.
"""

from __future__ import annotations

from skillbench_tasks.datasets.wording.claims import claims_in
from skillbench_tasks.datasets.wording.corpus import opening_overlaps, repeated_sentences
from skillbench_tasks.datasets.wording.faults import wording_faults

__all__ = ["claims_in", "opening_overlaps", "repeated_sentences", "wording_faults"]
