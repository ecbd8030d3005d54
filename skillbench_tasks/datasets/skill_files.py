"""Reading a skill folder: SKILL.md, flow.yaml, scenarios.yaml, gold.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skillbench_tasks.datasets.policy.reading import read_policy
from skillbench_tasks.errors import DataError
from skillbench_tasks.files import (
    is_there,
    line_of,
    model_from,
    read_front_matter,
    read_json,
    read_yaml,
    shown,
)
from skillbench_tasks.models import Rules, Scenario, Skill

__all__ = ["read_gold", "read_skill"]

SKILL_FILE, FLOW_FILE = "SKILL.md", "flow.yaml"
SCENARIOS_FILE, GOLD_FILE = "scenarios.yaml", "gold.json"


def read_skill(folder: Path) -> Skill:
    """Read a skill folder into its model; references are checked by the case loader.

    Args:
        folder: Holds SKILL.md, flow.yaml, scenarios.yaml and, once written, gold.json.

    Raises:
        DataError: A file is missing or does not fit the format.
    """
    head, body = _front_matter(folder / SKILL_FILE)
    metadata = head.get("metadata", {})
    flow = _mapping(folder / FLOW_FILE)
    scenarios = _mapping(folder / SCENARIOS_FILE).get("scenarios")
    if not isinstance(scenarios, list) or not scenarios:
        file = shown(folder / SCENARIOS_FILE)
        raise DataError(file, "scenarios", "no scenarios", "write at least one")
    _refuse_unknown(flow, {"program", "rules"}, folder / FLOW_FILE)
    _refuse_duplicates(scenarios, folder / SCENARIOS_FILE)
    rules = model_from(Rules, flow.get("rules", {}), folder / FLOW_FILE, "rules")
    data = {
        "name": head.get("name", ""),
        "description": head.get("description", ""),
        "industry": metadata.get("industry", ""),
        "category": metadata.get("category", ""),
        "version": str(metadata.get("version", "")),
        "toolkit": str(metadata.get("toolkit", "")).split(),
        "instructions": body,
        "program": flow.get("program", {}),
        "rules": rules,
        "policy": read_policy(folder),
        "scenarios": scenarios,
        "folder": str(folder),
    }
    if data["name"] != folder.name:
        problem = f"name is {data['name']!r}, the folder {folder.name!r}"
        raise DataError(shown(folder / SKILL_FILE), "name", problem, "make them equal")
    return _skill(data, folder)


def read_gold(folder: Path) -> dict[str, dict[str, Any]]:
    """Read the authored conversations: scenario id → {skeleton, turns}; empty before they are."""
    path = folder / GOLD_FILE
    if not is_there(path):
        return {}
    data = read_json(path)
    if not isinstance(data, dict):
        raise DataError(shown(path), "", "not an object", "map scenario ids to conversations")
    for scenario, entry in data.items():
        turns = entry.get("turns") if isinstance(entry, dict) else None
        if not isinstance(turns, list) or not all(isinstance(text, str) for text in turns):
            raise DataError(shown(path), scenario, "turns is no list of texts", "write the texts")
    return data


def _skill(data: Mapping[str, Any], folder: Path) -> Skill:
    """Build the model; a fault in a scenario is shown in scenarios.yaml, with its line."""
    path = folder / SCENARIOS_FILE
    scenarios = [
        model_from(Scenario, entry, path, f"scenarios.{index}")
        for index, entry in enumerate(data["scenarios"])
    ]
    return model_from(Skill, {**data, "scenarios": scenarios}, folder / SKILL_FILE)


def _front_matter(path: Path) -> tuple[dict[str, Any], str]:
    found = read_front_matter(path)
    if found is None:
        raise DataError(shown(path), "", "no front matter", "start the file with --- lines")
    head, body = found
    if not isinstance(head, dict) or not isinstance(head.get("metadata"), dict):
        raise DataError(shown(path), "metadata", "missing", "add industry, category, toolkit")
    return head, body


def _mapping(path: Path) -> dict[str, Any]:
    data = read_yaml(path)
    if not isinstance(data, dict):
        raise DataError(shown(path), "", "not a mapping", "see docs/skill-format.md")
    return data


def _refuse_unknown(data: Mapping[str, Any], known: set[str], path: Path) -> None:
    for key in data:
        if key not in known:
            mend = f"known keys: {', '.join(sorted(known))}"
            raise DataError(shown(path), key, "unknown key", mend, line_of(path, [key]))


def _refuse_duplicates(scenarios: list[Any], path: Path) -> None:
    counts = Counter(str(s.get("id")) for s in scenarios if isinstance(s, dict))
    for index, entry in enumerate(scenarios):
        name = str(entry.get("id")) if isinstance(entry, dict) else ""
        if counts[name] > 1:
            place = ["scenarios", str(index), "id"]
            mend = "give each scenario its own id"
            raise DataError(shown(path), name, "the id stands twice", mend, line_of(path, place))
