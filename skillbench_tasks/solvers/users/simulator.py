"""What every user simulator is: an opening, then a reply to each agent message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from skillbench_tasks.models import Persona, Scenario, SlotSpec, State, UserFault
from skillbench_tasks.solvers.users.scripted import ScriptedUser, UserReply

__all__ = ["Said", "ScriptedSimulator", "UserSimulator"]


READ_MAX: Final = 4_000
"""Characters of a message that the scripted user reads: of a longer one its two ends."""


@dataclass(frozen=True)
class Said:
    """A user message.

    Args:
        text: What the agent reads.
        acts: What the simulator knows that it did; empty for a model.
        end: How the conversation ends for the user, or `None`.
        faults: Ways in which the simulator broke its role.
    """

    text: str
    acts: tuple[str, ...] = ()
    end: State | None = None
    faults: tuple[UserFault, ...] = ()


class UserSimulator(Protocol):
    """Plays the customer; it sees agent messages and never tools."""

    @property
    def name(self) -> str:
        """Who plays: `scripted`, or the model's name."""
        ...

    def opening(self) -> Said:
        """Return the first message."""
        ...

    async def reply(self, agent_text: str) -> Said:
        """Return the answer to an agent message (empty when the agent said nothing)."""
        ...


class ScriptedSimulator:
    """The scripted user as a simulator (offline profile)."""

    name = "scripted"

    def __init__(self, scenario: Scenario, persona: Persona, slots: Mapping[str, SlotSpec]) -> None:
        self._user = ScriptedUser(scenario, persona, slots)

    def opening(self) -> Said:
        """Return the authored first message."""
        return _said(self._user.opening())

    async def reply(self, agent_text: str) -> Said:
        """Return the answer to an agent message."""
        if len(agent_text) > READ_MAX:
            half = READ_MAX // 2
            agent_text = f"{agent_text[:half]} {agent_text[-half:]}"
        return _said(self._user.reply(agent_text))


def _said(reply: UserReply) -> Said:
    return Said(reply.text, reply.acts, reply.end)
