"""What an agent leaves behind on τ² tasks: made directly, or by a run."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog

from skillbench_tasks.datasets.adapters.tau2 import Tau2Source
from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import Call, Case, Episode, Line, State, Termination
from skillbench_tasks.scorers.verified import DETERMINISTIC, verified_verdict
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.zero_shot import zero_shot

__all__ = ["IDLE", "episode", "oracle", "run", "values", "verdicts"]

IDLE = ("silent", "refuse", "claim_done", "always_transfer", "spam")
"""Agents that must pass nothing."""


def episode(
    source: Tau2Source,
    case: Case,
    actions: Sequence[tuple[str, Mapping[str, Any]]] = (),
    text: str = "",
    end: State = State.RESOLVED,
) -> Episode:
    """Return the episode of an agent that makes calls, says one thing and is done."""
    toolbox = Toolbox(source.tools(case), source.world(case))
    events: list[Line | Call] = [Line(role="user", turn=0, text=case.scenario.opening)]
    for name, arguments in actions:
        with contextlib.suppress(ToolFailure):
            toolbox.call(name, arguments)
    events += [Call(turn=0, **dict(entry)) for entry in toolbox.ledger]
    events.append(Line(role="agent", turn=0, text=text))
    return Episode(
        case=case.id,
        profile="offline",
        user="test",
        events=tuple(events),
        termination=Termination(state=end, by="user"),
        changes=toolbox.world.changes_since(toolbox.start),
    )


def oracle(source: Tau2Source, case: Case) -> Episode:
    """Return the episode of the reference run."""
    turn = case.gold.turns[1]
    return episode(source, case, [(c.tool, c.arguments) for c in turn.calls], turn.text)


def verdicts(case: Case, episode: Episode) -> dict[str, bool | None]:
    """Return the verdict of every deterministic scorer, and of all at once."""
    scorers = {**DETERMINISTIC, "verified": verified_verdict}
    return {name: scorer(case.checks, episode).passed for name, scorer in scorers.items()}


def run(folder: Path, tmp_path: Path, **options: Any) -> EvalLog:
    """Run the task on a folder; `options` are the task's, `model` and `model_roles` Inspect's."""
    eval_options = {k: options.pop(k) for k in ("model", "model_roles") if k in options}
    options = {"dataset": f"tau2:{folder}", **options}
    log = inspect_eval(
        zero_shot(**options),
        log_dir=str(tmp_path / "logs"),
        display="none",
        **{"model": "none/none", **eval_options},
    )[0]
    assert log.status == "success", log.error
    assert not [sample.error for sample in log.samples or [] if sample.error]
    return log


def values(log: EvalLog, scorer: str) -> dict[str, Any]:
    """Return task id → value of a scorer, `None` where it has none, by id."""
    scored = {
        str(s.id).rpartition(".")[2]: (s.scores or {})[scorer].value for s in log.samples or []
    }
    found = {name: scored[name] for name in sorted(scored, key=int)}
    return {n: None if isinstance(v, float) and math.isnan(v) else v for n, v in found.items()}
