"""The grading proved on right runs: variations of gold conversations that must pass."""

from __future__ import annotations

from skillbench_tasks.datasets.script import perform
from skillbench_tasks.datasets.variations import Variation
from skillbench_tasks.models import Case, Episode
from skillbench_tasks.scorers.verified import verified_verdict


def episode_of(case: Case, variation: Variation) -> Episode:
    episode = perform(case, variation.script)
    return episode.model_copy(update={"profile": variation.profile})
