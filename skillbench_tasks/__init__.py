"""skillbench: Inspect tasks that measure whether a model can carry out a support skill.

Public names: the tasks, the loading functions and the version. They are imported on first use, so
that reading data does not load Inspect.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skillbench_tasks.closed_loop import closed_loop
    from skillbench_tasks.datasets.loaders import load_cases, load_skills
    from skillbench_tasks.global_orchestration import global_orchestration
    from skillbench_tasks.gold_history import gold_history
    from skillbench_tasks.local_construction import local_construction
    from skillbench_tasks.replan import replan
    from skillbench_tasks.step_by_step import step_by_step
    from skillbench_tasks.zero_shot import zero_shot

__all__ = [
    "__version__",
    "closed_loop",
    "global_orchestration",
    "gold_history",
    "load_cases",
    "load_skills",
    "local_construction",
    "replan",
    "step_by_step",
    "zero_shot",
]

__version__ = "0.1.0"
"""Version of the distribution."""

_HOMES = {
    "step_by_step": "skillbench_tasks.step_by_step",
    "replan": "skillbench_tasks.replan",
    "local_construction": "skillbench_tasks.local_construction",
    "global_orchestration": "skillbench_tasks.global_orchestration",
    "closed_loop": "skillbench_tasks.closed_loop",
    "gold_history": "skillbench_tasks.gold_history",
    "load_cases": "skillbench_tasks.datasets.loaders",
    "load_skills": "skillbench_tasks.datasets.loaders",
    "zero_shot": "skillbench_tasks.zero_shot",
}


def __getattr__(name: str) -> Any:
    """Import a public name on its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


class _Package(ModuleType):
    """The package: a task's name is the task, also after its file of the same name is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
