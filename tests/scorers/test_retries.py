"""Retries are bounded (A7): at most twice, and not where a repetition cannot help."""

from __future__ import annotations

import pytest

from skillbench_tasks.datasets.loaders import case_by_id
from skillbench_tasks.models import HOUSE_RULES, Call, CallError, Episode, State, Termination
from skillbench_tasks.scorers.constraints import CONSTRAINTS
from skillbench_tasks.scorers.retries import excess_retries

TOOL = "mcp.calendar:list_slots"


def _call(code: str | None, *, day: int = 1, tool: str = TOOL) -> Call:
    retryable = code != "service_error"
    error = CallError(code=code, message="x", retryable=retryable) if code else None
    return Call(turn=1, tool=tool, arguments={"day": day}, error=error)


@pytest.mark.parametrize(
    ("codes", "faults"),
    [
        pytest.param(["unavailable", "unavailable", None], 0, id="third-try-succeeds"),
        pytest.param(
            ["unavailable", "rate_limited", "timeout"], 0, id="twice-retried-then-given-up"
        ),
        pytest.param(["unavailable"] * 4, 1, id="three-retries"),
        pytest.param(
            ["unavailable", "unavailable", None, "unavailable", None], 0, id="success-resets"
        ),
        pytest.param(["service_error", None], 1, id="repeated-though-it-cannot-help"),
        pytest.param(["not_found"] * 5, 0, id="refusals-of-what-was-asked-are-no-failures"),
        pytest.param(["invalid_arguments"] * 5, 0, id="refused-arguments-are-no-failures"),
    ],
)
def test_retries_are_counted_in_a_row(codes: list[str | None], faults: int) -> None:
    events = tuple(_call(code) for code in codes)
    assert len(list(_excess(events))) == faults


def test_changed_arguments_are_no_new_call() -> None:
    events = tuple(_call("unavailable", day=day) for day in range(4))
    assert len(list(_excess(events))) == 1


def test_house_rules_are_constraints_that_every_case_has() -> None:
    checks = case_by_id("technician-visit.straightforward").checks
    always = {name for name, (declared, _) in CONSTRAINTS.items() if declared(checks)}
    assert set(HOUSE_RULES) <= always | {"transfer"}
    assert "transfer" in CONSTRAINTS


def test_tools_are_counted_apart() -> None:
    events = tuple(_call("unavailable", tool=t) for t in ("a:x", "a:y") for _ in range(3))
    assert list(_excess(events)) == []


def _excess(events: tuple[Call, ...]) -> list[str]:
    checks = case_by_id("technician-visit.straightforward").checks
    end = Termination(state=State.UNFINISHED, by="harness")
    episode = Episode(
        case=checks.scenario,
        profile="offline",
        user="x",
        events=events,
        termination=end,
        changes=(),
    )
    return list(excess_retries(checks, episode))
