"""A skill's policy, sentence by sentence, and the map that says what grades each."""

from __future__ import annotations

from skillbench_tasks.datasets.policy.matters import entry_matters, rule_names
from skillbench_tasks.datasets.policy.reading import POLICY_FILE, read_policy
from skillbench_tasks.datasets.policy.sentences import policy_sentences

__all__ = ["POLICY_FILE", "entry_matters", "policy_sentences", "read_policy", "rule_names"]
