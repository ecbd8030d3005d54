"""Reading policy.yaml, the map from a page's sentences to what grades them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from skillbench_tasks.errors import DataError
from skillbench_tasks.files import line_of, model_from, read_yaml, shown
from skillbench_tasks.models import PolicyEntry, PolicyMap

__all__ = ["POLICY_FILE", "read_policy"]

POLICY_FILE: Final = "policy.yaml"


def read_policy(folder: Path) -> PolicyMap | None:
    """Read a skill's policy.yaml; `None` where there is none yet (`skillbench check` wants one).

    Args:
        folder: The skill's folder.

    Raises:
        DataError: The file does not fit the format.
    """
    path = folder / POLICY_FILE
    if not path.exists():
        return None
    data = read_yaml(path)
    if not isinstance(data, dict):
        raise DataError(shown(path), "", "not a mapping", "map sentence keys to what grades them")
    entries = {}
    for key, value in data.items():
        if not isinstance(value, dict):
            line = line_of(path, [str(key)])
            raise DataError(
                shown(path), str(key), "not a mapping", "see docs/skill-format.md", line
            )
        entries[str(key)] = model_from(PolicyEntry, value, path, str(key))
    return PolicyMap(sentences=entries)
