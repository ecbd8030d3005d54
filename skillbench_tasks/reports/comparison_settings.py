"""What a log's head says of a run: its task, and the setting that its figures hang on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from inspect_ai.log import EvalLog
from inspect_ai.model import ModelConfig

from skillbench_tasks.solvers.agents import DEFAULT_AGENT
from skillbench_tasks.solvers.predictors import MODEL

__all__ = [
    "Setting",
    "sampling_of",
    "setting_label",
    "setting_of",
    "task_of",
    "tested_of",
    "versions_of",
]

Setting: TypeAlias = tuple[tuple[str, str], ...]
"""Options and their values, sorted; runs that differ in one are never pooled or compared."""

_PACKAGE: Final = "skillbench_tasks"
_FREE: Final = frozenset(
    {
        *("agent", "predictor"),  # they are under test
        *("transport", "recording"),  # move no score
        *("industry", "category", "kind", "skill"),  # choose cases, and cases are paired
        *("dataset", "skills"),  # paths of a machine; the dataset's name stands for them
        *("rubric", "max_unscored", "timeout"),  # the judges' own, which are compared by score
    }
)
_JUDGES: Final = "judge_"
_CONVERSATIONS: Final = ("gold_history", "closed_loop")
_USUAL: Final = frozenset(
    {("split", "evaluation"), ("turns", "20"), ("mocks", "declared"), ("retries", "2")}
)
"""Settings that go without saying."""

_SAMPLING: Final = (
    *("temperature", "top_p", "top_k", "seed", "max_tokens", "stop_seqs", "system_message"),
    *("effort", "reasoning_effort", "reasoning_tokens"),
)


def task_of(log: EvalLog) -> str:
    """Return the name of our task, or an empty text for a task of others."""
    package, _, name = (log.eval.task_registry_name or log.eval.task).rpartition("/")
    return name if package in ("", _PACKAGE) else ""


def tested_of(log: EvalLog) -> Mapping[str, str]:
    """Return the agent or predictor under test; nothing where it is the model itself."""
    options = log.eval.task_args
    return {
        name: str(options[name])
        for name, usual in (("agent", DEFAULT_AGENT), ("predictor", MODEL))
        if options.get(name) not in (None, usual)
    }


def versions_of(log: EvalLog) -> Mapping[str, str]:
    """Return the versions of task and data; the grader's may differ by score."""
    stored = log.eval.metadata or {}
    said = {name: str(stored.get(name, "unknown")) for name in ("task", "data")}
    recorded = str(log.eval.task_version)  # Inspect's own field, whatever the metadata say
    if said["task"] not in ("unknown", recorded):
        said["task"] = f"{said['task']} (recorded by Inspect as {recorded})"
    return said


def sampling_of(log: EvalLog) -> Mapping[str, str]:
    """Return the options of generation that can move what a model says."""
    config = log.eval.model_generate_config.model_dump(include=set(_SAMPLING), exclude_none=True)
    return {name: str(config[name]) for name in _SAMPLING if name in config}


def setting_of(log: EvalLog) -> Setting:
    """Return the setting of a run: dataset, split, options, and who plays the user."""
    task, options = task_of(log), log.eval.task_args
    setting = {
        name: str(value)
        for name, value in options.items()
        if value is not None and name not in _FREE and not name.startswith(_JUDGES)
    }
    is_shipped = options.get("dataset") is None and options.get("skills") is None
    if not is_shipped:
        setting["dataset"] = log.eval.dataset.name or "unnamed"
    if task in _CONVERSATIONS:
        setting.setdefault("split", "evaluation" if is_shipped else "all")
    if task == "zero_shot":
        setting["user"] = _models(log, "user") or "scripted"
        if setting.get("mocks") == "llm":
            setting["mock"] = _models(log, "mock") or "unknown"
    return tuple(sorted(setting.items()))


def _models(log: EvalLog, role: str) -> str:
    found = (log.eval.model_roles or {}).get(role) or []
    configs = [found] if isinstance(found, ModelConfig) else found
    return "+".join(config.model for config in configs)


def setting_label(task: str, setting: Setting) -> str:
    """Return a task and its setting for a reader; what is usual is left out."""
    return " ".join([task, *(f"{k}={v}" for k, v in setting if (k, v) not in _USUAL)])
