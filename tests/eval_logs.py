"""Logs written sample by sample, without a run: for whatever reads logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalPlan,
    EvalSample,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelConfig, ModelOutput
from inspect_ai.scorer import Score

__all__ = ["MadeSample", "unscored", "write_log"]


@dataclass(frozen=True)
class MadeSample:
    """A sample: its id, metadata, scores (a value, or a whole score), epoch, error, input."""

    id: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, Any] = field(default_factory=dict)
    epoch: int = 1
    error: str = ""
    input: str = "Hello."


def unscored(reason: str = "not_applicable") -> Score:
    """Return a score without a value."""
    return Score.unscored(reason=reason)


def write_log(
    path: Path,
    task: str,
    samples: Sequence[MadeSample],
    *,
    model: str = "made/before",
    args: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    planned: Sequence[str] | None = None,
    status: Literal["success", "started", "cancelled", "error"] = "success",
    error: str = "",
    created: str = "2026-03-01T10:00:00+00:00",
    task_id: str = "",
    roles: Mapping[str, str] | None = None,
    config: GenerateConfig | None = None,
) -> Path:
    """Write a log and return its path; the folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ids = list(planned or dict.fromkeys(sample.id for sample in samples))
    spec = EvalSpec(
        created=created,
        task=f"skillbench_tasks/{task}",
        task_registry_name=f"skillbench_tasks/{task}",
        task_id=task_id or path.as_posix(),
        task_args=dict(args or {}),
        dataset=EvalDataset(name="skills", samples=len(ids), sample_ids=list(ids)),
        model=model,
        model_generate_config=config or GenerateConfig(),
        model_roles={role: ModelConfig(model=name) for role, name in (roles or {}).items()},
        config=EvalConfig(),
        metadata={"task": "2", "data": "1", "grader": "1", **(metadata or {})},
    )
    log = EvalLog(
        status=status,
        eval=spec,
        plan=EvalPlan(),
        stats=EvalStats(),
        error=_error(error) if error else None,
        samples=[_sample(sample) for sample in samples],
    )
    write_eval_log(log, str(path))
    return path


def _sample(made: MadeSample) -> EvalSample:
    return EvalSample(
        id=made.id,
        epoch=made.epoch,
        input=[ChatMessageUser(content=made.input)],
        target="",
        messages=[],
        output=ModelOutput(),
        metadata=dict(made.metadata),
        scores={
            name: score if isinstance(score, Score) else Score(value=score)
            for name, score in made.scores.items()
        },
        error=_error(made.error) if made.error else None,
    )


def _error(message: str) -> EvalError:
    return EvalError(message=message, traceback="", traceback_ansi="")
