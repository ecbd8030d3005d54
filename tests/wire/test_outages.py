"""Providers that refuse: an outage is nobody's zero, a full context window is the agent's end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pytest
from inspect_ai import Task, task_with
from inspect_ai.log import EvalLog

from skillbench_tasks.models import State
from skillbench_tasks.zero_shot import zero_shot
from tests.mock import MOCK_SKILLS, mock_case
from tests.wire.marked import KIND
from tests.wire.neutral import Asked, Failure, Play, Reply
from tests.wire.plays import agent_play
from tests.wire.server import WIRES, StubServer
from tests.wire.suite import episode_of, run_together, sample_of

OUTAGES: Final[tuple[Failure, ...]] = ("server", "payment", "auth")

CUSTOMER: Final[Mapping[str, Failure]] = {"down": "server", "full": "context"}
"""Failures of the customer's model: name → what its provider answers."""

QUICK: Final[tuple[tuple[str, str], ...]] = (
    *((wire, "context") for wire in WIRES),
    ("openai_responses", "auth"),
    ("anthropic", "server"),
    ("google", "payment"),
    ("openai_api", "down"),
    ("anthropic", "full"),
)
"""What is tried by default: Inspect needs half a second to draw the traceback of each error."""

EVERY: Final = tuple((wire, name) for wire in WIRES for name in (*OUTAGES, "context", *CUSTOMER))

REPLIES_BEFORE: Final = 3
"""Replies that the agent gives before its provider refuses; two of them end a turn."""


class Outages:
    """Logs of runs in which a provider refuses, by wire and failure.

    Args:
        stub: The server.
        tried: Pairs of wire and failure.
        name: Name of the set: the models' names hold it, so that requests are told apart.
    """

    def __init__(self, stub: StubServer, tried: tuple[tuple[str, str], ...], name: str) -> None:
        self.stub, self.tried, self._name = stub, tried, name
        self.logs: dict[tuple[str, str], EvalLog] = {}

    def task(self, wire: str, failure: str) -> Task:
        """Return the task in which a wire fails."""
        bare, model = (f(self._role(failure)) for f in (WIRES[wire].bare, WIRES[wire].name))
        if failure in CUSTOMER:
            self.stub.plays[bare] = lambda asked: CUSTOMER[failure]
            task = zero_shot(skills=str(MOCK_SKILLS), kind=KIND, agent="reference")
            return task_with(task, model="none/none", model_roles={"user": model})
        (refusal,) = (one for one in (*OUTAGES, _CONTEXT) if one == failure)
        self.stub.plays[bare] = _until(refusal, agent_play(mock_case(KIND), "nothing"))
        return task_with(zero_shot(skills=str(MOCK_SKILLS), kind=KIND), model=model)

    def among(self, *failures: str) -> list[tuple[str, str]]:
        """Return the pairs that are tried with one of these failures."""
        found = [(wire, failure) for wire, failure in self.tried if failure in failures]
        assert found
        return found

    def refusals(self, wire: str, failure: str) -> int:
        """Return how many requests the provider refused."""
        seen = self.stub.seen(WIRES[wire].bare(self._role(failure)))
        return sum(one.status != 200 for one in seen)

    def _role(self, failure: str) -> str:
        return f"{failure}-{self._name}"


_CONTEXT: Final[Failure] = "context"


@pytest.fixture(scope="module", params=["quick", pytest.param("every", marks=pytest.mark.slow)])
def outages(
    request: pytest.FixtureRequest, stub: StubServer, tmp_path_factory: pytest.TempPathFactory
) -> Outages:
    """Runs in which a provider refuses for good."""
    outages = Outages(stub, QUICK if request.param == "quick" else EVERY, request.param)
    tasks = {"/".join(pair): outages.task(*pair) for pair in outages.tried}
    folder = tmp_path_factory.mktemp("outages")
    logs = run_together(tasks, folder, max_retries=0, fail_on_error=False)
    outages.logs = dict(zip(outages.tried, logs.values(), strict=True))
    return outages


def _until(failure: Failure, play: Play) -> Play:
    def failing(asked: Asked) -> Reply | Failure:
        return failure if asked.replies_so_far >= REPLIES_BEFORE else play(asked)

    return failing


def test_outage_of_the_agents_provider_is_a_sample_error_and_no_score(outages: Outages) -> None:
    for pair in outages.among(*OUTAGES):
        log = outages.logs[pair]
        sample = sample_of(log)
        assert sample.error is not None, pair
        assert not sample.scores
        assert log.results is None  # it is the run's only sample: no score, so no mean of 0
        end = episode_of(log).termination
        assert (end.state, end.by) == (State.UNFINISHED, "harness")
        said = [line.role for line in episode_of(log).lines]
        assert said == ["user", "agent", "user", "agent", "user"]


def test_full_context_window_ends_the_conversation_as_it_stands(outages: Outages) -> None:
    gold = [turn.text for turn in mock_case(KIND).gold.turns if turn.role == "agent"]
    for pair in outages.among("context"):
        log = outages.logs[pair]
        sample, episode = sample_of(log), episode_of(log)
        assert (log.status, sample.error) == ("success", None), pair
        end = episode.termination
        assert (end.state, end.by, end.detail) == (State.LIMIT, "limit", "context"), pair
        # Nothing that the provider said is taken for words of the agent.
        assert [line.text for line in episode.lines if line.role == "agent"] == gold[:2]
        assert [call.tool for call in episode.calls] == ["mcp.crm:find_customer"]
        assert sample.messages[-1].role == "user"
        assert sample.scores is not None
        assert sample.scores["verified"].value == "I"
        assert sample.scores["user_faults"].value == 0


def test_customer_without_a_model_is_a_sample_error_and_no_score(outages: Outages) -> None:
    for wire, failure in outages.among(*CUSTOMER):
        sample = sample_of(outages.logs[wire, failure])
        assert sample.error is not None, (wire, failure)
        assert not sample.scores
        lines = episode_of(outages.logs[wire, failure]).lines
        assert [line.role for line in lines] == ["user", "agent"]
        is_named = "--model-role user: the conversation does not fit" in sample.error.message
        assert is_named == (failure == "full")


def test_provider_that_refuses_is_not_asked_for_ever(outages: Outages) -> None:
    for wire, failure in outages.among(*OUTAGES, "context"):
        tries_by_sdk = 1 if wire == "google" else 3
        expected = tries_by_sdk if failure == "server" else 1
        assert outages.refusals(wire, failure) == expected, (wire, failure)
