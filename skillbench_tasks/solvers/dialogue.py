"""The agent ↔ user loop of protocol A.

The user opens. Each turn the agent acts (tools, then a message), then the user answers. The talk
ends when the user ends it (resolved, out of scope, transferred, gave up), when the agent has
handed over to a person, or when the turn budget is used up. The episode is written to the sample's
store whatever happens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import wraps
from typing import Any, Final, Literal

from anyio import get_cancelled_exc_class
from inspect_ai.agent import Agent, AgentState, run
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Model,
    ModelOutput,
    get_model,
    model_roles,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef
from inspect_ai.util import LimitExceededError, message_limit, sample_limits
from pydantic import JsonValue

from skillbench_tasks.datasets.agent_prompt import agent_prompt
from skillbench_tasks.datasets.loaders import load_personas
from skillbench_tasks.datasets.sources import Source, open_source
from skillbench_tasks.errors import ProviderError
from skillbench_tasks.model_output import mended_message, mended_output, mended_text
from skillbench_tasks.models import EPISODE_KEY, MOCK_KEY, Case, Episode, State, Termination
from skillbench_tasks.solvers.agents import AgentSlot
from skillbench_tasks.solvers.baselines import CASE_KEY
from skillbench_tasks.solvers.mocking import Mocks, mock_of, tools_in_play
from skillbench_tasks.solvers.transcript import Transcript, added_messages
from skillbench_tasks.solvers.users.model_user import ModelUser
from skillbench_tasks.solvers.users.simulator import Said, ScriptedSimulator, UserSimulator
from skillbench_tasks.task_options import (
    require_choice,
    require_positive,
    require_reachable,
)
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.transport import Transport, tool_session
from skillbench_tasks.versions import DATA_VERSION, GRADER_VERSION, MOCK_VERSION, TASK_VERSION

__all__ = ["dialogue"]

USER_ROLE: Final = "user"
"""Model role of the simulated user; without it the scripted user plays."""

CONTEXT_LIMIT: Final = "context"
"""Detail of a termination: the model's context window is full."""


@solver
def dialogue(
    agent: str,
    turns: int,
    source: str | None = None,
    transport: str = Transport.IN_PROCESS,
    mocks: str = Mocks.DECLARED,
    recording: str | None = None,
) -> Solver:
    """Run the loop between the agent and the user over a sample's own world.

    Args:
        agent: Registered name of the agent under test.
        turns: Turn budget: agent turns at most; a scenario's own budget holds where it is lower.
        source: Where the cases come from, as for `open_source`; default: what ships.
        transport: How the agent's calls reach its tools.
        mocks: Who answers for tools without a declared behaviour.
        recording: Where a mock's answers are kept and found again: a file `*.jsonl`, or a folder.
    """
    slot = AgentSlot(agent)
    require_positive("turns", turns)
    require_choice("transport", transport, Transport)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        require_reachable(get_model())
        found = open_source(source)
        case = found.case(str(state.sample_id))
        world = found.world(case)
        mock = mock_of(found, case, mocks, recording)
        toolbox = Toolbox(tools_in_play(found, case, mocks), world, case.scenario.faults, mock)
        user = _user(found, case)
        talk = _Talk(case, toolbox, user, slot, min(turns, case.scenario.max_turns))
        state.store.set(CASE_KEY, {"case": case.id, "source": source})
        prompt = agent_prompt(case, found.company(case), world.now)
        try:
            async with tool_session(toolbox, Transport(transport)) as tools:
                await talk.hold(prompt, tools)
        except get_cancelled_exc_class():
            talk.stop(_expired())
            raise
        finally:
            talk.close()
            state.store.set(EPISODE_KEY, talk.episode().model_dump(mode="json"))
            if mock is not None:
                state.store.set(MOCK_KEY, [e.model_dump(mode="json") for e in mock.entries])
            state.output = talk.output
            with message_limit(None):  # what was said is kept, though one message be too many
                state.messages = talk.messages
        return state

    return solve


class _Talk:
    """One conversation in progress."""

    def __init__(
        self, case: Case, toolbox: Toolbox, user: UserSimulator, slot: AgentSlot, turns: int
    ) -> None:
        self._case, self._toolbox, self._user, self._turns = case, toolbox, user, turns
        self._slot = slot
        toolbox.listen(self.said)
        self._transcript = Transcript(toolbox)
        self._acting: AgentState | None = None
        self.messages: list[ChatMessage] = []
        self.output = ModelOutput()
        self.end = Termination(state=State.UNFINISHED, by="harness")

    async def hold(self, prompt: str, tools: Sequence[ToolDef]) -> None:
        try:
            await self._converse(prompt, tools)
        except LimitExceededError as limit:  # noted here: a session of tools may wrap it on its way
            self.stop(limit.type)
            raise
        except TimeoutError as error:  # Inspect would swallow it and grade what there is
            raise ProviderError(self._case.id, str(error) or "a call timed out") from error

    async def _converse(self, prompt: str, tools: Sequence[ToolDef]) -> None:
        agent, options = self._slot.with_tools(tools)
        opening = self._user.opening()
        self.messages = [ChatMessageSystem(content=prompt)]
        self._hear(opening)
        for turn in range(self._turns):
            self._transcript.turn = turn
            text = await self._agent_turn(agent, options)
            if self.end.state is State.LIMIT:
                return
            if self._handed_over():
                self.end = Termination(state=State.TRANSFERRED, by="agent")
                return
            with message_limit(None):  # a simulator's own prompt is no message of the sample
                said = await self._user.reply(text)
            self._hear(said)
            if said.end is not None:
                self.end = Termination(state=said.end, by="user")
                return
        self.end = Termination(state=State.TURN_BUDGET, by="budget", detail=f"{self._turns} turns")

    def said(self) -> list[JsonValue]:
        """Return what both sides have said so far, as a system behind the tools may know it."""
        heard = self._acting.messages if self._acting is not None else self.messages
        sides = {"user": "customer", "assistant": "agent"}
        return [
            {sides[message.role]: message.text.strip()}
            for message in heard
            if message.role in sides and message.text.strip()
        ]

    def stop(self, limit: str) -> None:
        """Note that a limit struck, unless the talk had ended before."""
        if self.end.state is State.UNFINISHED:
            self.end = Termination(state=State.LIMIT, by="limit", detail=limit)

    def close(self) -> None:
        """Write down what an agent turn that was cut short did so far."""
        if self._acting is not None:
            added = added_messages(self.messages, self._acting.messages)
            self.messages = [*self.messages, *added]
            self._transcript.agent(added, finished=False)

    @property
    def _versions(self) -> dict[str, str]:
        versions = {"task": TASK_VERSION, "data": DATA_VERSION, "grader": GRADER_VERSION}
        return {**versions, "mock": MOCK_VERSION} if self._toolbox.is_mocked else versions

    def episode(self) -> Episode:
        profile: Literal["published", "offline"]
        profile = "published" if USER_ROLE in model_roles() else "offline"
        return self._transcript.episode(
            case=self._case.id,
            profile=profile,
            user=self._user.name,
            end=self.end,
            versions=self._versions,
        )

    def _hear(self, said: Said) -> None:
        text = mended_text(said.text)
        self._transcript.user(text, said.acts, said.faults)
        self.messages.append(ChatMessageUser(content=text))

    async def _agent_turn(self, agent: Agent, options: Mapping[str, Any]) -> str:
        @wraps(agent)
        async def watched(state: AgentState, **options: Any) -> AgentState:
            self._acting = state
            return await agent(state, **options)

        start = AgentState(messages=self.messages)
        after = await run(watched, start, **options)
        self._acting = None
        if self._toolbox.broken is not None:  # whatever an agent's own code made of it
            raise self._toolbox.broken
        if after.output is not None:
            self.output = mended_output(after.output)
        if _is_out_of_room(after.output):
            self._acting = _without_refusal(after)
            self.stop(CONTEXT_LIMIT)
            return ""
        added = [
            mended_message(one) if isinstance(one, ChatMessageAssistant) else one
            for one in added_messages(self.messages, after.messages)
        ]
        self.messages = [*self.messages, *added]
        return self._transcript.agent(added)

    def _handed_over(self) -> bool:
        tools = self._toolbox.tools
        done = (tools.get(e.tool) for e in self._toolbox.ledger if e.error is None)
        return any(tool is not None and tool.spec.hands_over for tool in done)


def _is_out_of_room(output: ModelOutput | None) -> bool:
    """Whether the conversation no longer fits into the agent's context window."""
    if output is None or not output.choices:
        return False
    return output.stop_reason == "model_length"


def _without_refusal(state: AgentState) -> AgentState:
    """Return a turn without what the provider said in its model's place.

    Inspect makes the text of such an error the model's message; what was generated has a usage.
    """
    if state.output.usage is None:
        refusal = state.output.message.id
        state.messages = [message for message in state.messages if message.id != refusal]
    return state


def _expired() -> str:
    """Return the limit behind a cancellation; Inspect delivers two of them as one."""
    limits = sample_limits()
    for name, limit in (("time", limits.time), ("working", limits.working)):
        if limit.limit is not None and limit.usage >= limit.limit:
            return name
    return "cancelled"


def _user(source: Source, case: Case) -> UserSimulator:
    scenario, slots = case.scenario, source.slots(case)
    persona = load_personas()[scenario.persona]
    role = model_roles().get(USER_ROLE)
    if role is None:
        return ScriptedSimulator(scenario, persona, slots)
    model = role[0] if isinstance(role, list) else role
    assert isinstance(model, Model)
    require_reachable(model)
    return ModelUser(model, scenario, persona, dict(slots), source.company(case))
