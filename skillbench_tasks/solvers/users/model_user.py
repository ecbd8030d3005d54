"""The user played by a model in the role `user` (published profile)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Model,
)
from pydantic import JsonValue

from skillbench_tasks.errors import OptionError
from skillbench_tasks.model_output import ask
from skillbench_tasks.models import Persona, Scenario, SlotSpec, UserFault
from skillbench_tasks.solvers.users.role_play import MARKS, read_message, role_faults
from skillbench_tasks.solvers.users.simulator import Said

__all__ = ["ModelUser", "user_prompt"]

_ATTEMPTS: Final = 2
"""How often a message that is empty or out of role is asked for before it is taken as it is."""

_SILENCE: Final = "Are you still there?"
"""Stands in for a message that stays empty, so that the agent gets its turn."""

_SPOILT: Final = frozenset({UserFault.EMPTY, UserFault.ROLE_INVERTED})


class ModelUser:
    """A model as the customer. It sees the conversation with the roles turned round, never a tool.

    Args:
        model: The model in the role `user`.
        scenario: Whom it plays.
        persona: How he talks.
        slots: Labels of the facts.
        company: The company he talks to.
    """

    def __init__(
        self,
        model: Model,
        scenario: Scenario,
        persona: Persona,
        slots: dict[str, SlotSpec],
        company: str,
    ) -> None:
        self._model, self._scenario = model, scenario
        self._spoken = [scenario.opening]
        self._known: list[JsonValue] = [
            scenario.opening,
            scenario.goal,
            *scenario.facts.values(),
            *(_texts(says) for says in scenario.says.values()),
            dict(scenario.mind_change.changes) if scenario.mind_change else None,
        ]
        self._messages: list[ChatMessage] = [
            ChatMessageSystem(content=user_prompt(scenario, persona, slots, company)),
            ChatMessageUser(content="(The chat is open. Write your first message.)"),
            ChatMessageAssistant(content=scenario.opening),
        ]

    @property
    def name(self) -> str:
        """The model's name."""
        return str(self._model)

    def opening(self) -> Said:
        """Return the authored first message."""
        return Said(self._scenario.opening)

    async def reply(self, agent_text: str) -> Said:
        """Ask the model for the next message; a spoilt one is asked for once more.

        Raises:
            OptionError: The conversation is too long for the model.
        """
        self._known.append(agent_text)
        self._messages.append(ChatMessageUser(content=agent_text or "(The agent says nothing.)"))
        said = await self._ask(agent_text)
        for _ in range(_ATTEMPTS - 1):
            if said.end is not None or not _SPOILT.intersection(said.faults):
                break
            said = await self._ask(agent_text)
        if not said.text and said.end is None:
            said = Said(_SILENCE, faults=said.faults)
        self._spoken.append(said.text)
        self._messages.append(ChatMessageAssistant(content=said.text or "(leaves)"))
        return said

    async def _ask(self, agent_text: str) -> Said:
        output = await ask(self._model, self._messages, cache=False)
        if output.choices and output.stop_reason == "model_length":
            # The provider's words must not be taken for the customer's.
            problem = f"the conversation does not fit into the context window of {self._model}"
            raise OptionError("--model-role user", problem, "give a model with a longer one")
        raw = output.message.text if output.choices else ""
        text, end, faults = read_message(raw, agent_text)
        broken = role_faults(text, self._spoken, self._known)
        return Said(text, end=end, faults=(*faults, *broken))


def user_prompt(
    scenario: Scenario, persona: Persona, slots: dict[str, SlotSpec], company: str
) -> str:
    """Return the system prompt of the user: persona, goal, facts and end marks."""
    template = files("skillbench_tasks.solvers.prompts").joinpath("user.md").read_text("utf-8")
    marks = {state.value: mark for mark, state in MARKS.items()}
    return template.format(
        company=company,
        persona=_described(persona),
        goal=scenario.goal,
        facts=_listed(scenario, slots),
        unknown=_sentence("You do not have: {}.", [_label(s, slots) for s in scenario.unknown]),
        mind_change=_mind_change(scenario, slots),
        answers=_sentence(
            "You say no when the agent asks you to agree to: {}.",
            [name.replace("_", " ") for name, yes in scenario.answers.items() if not yes],
        ),
        **marks,
    )


def _described(persona: Persona) -> str:
    examples = "\n".join(f'- "{example}"' for example in persona.examples)
    traits = ", ".join(persona.traits)
    portrait = f"You are {traits}. {persona.style} {persona.motivation}"
    return f"{portrait}\nYou sound like this:\n{examples}"


def _listed(scenario: Scenario, slots: dict[str, SlotSpec]) -> str:
    lines = []
    for slot, value in scenario.facts.items():
        values = [str(part) for part in value] if isinstance(value, list) else [_shown(value)]
        then = "".join(f"; asked again, you say: {later}" for later in values[1:])
        lines.append(f"- {_label(slot, slots)}: {values[0]}{then}")
    return "\n".join(lines)


def _shown(value: JsonValue) -> str:
    return ", ".join(str(v) for v in value.values()) if isinstance(value, dict) else str(value)


def _label(slot: str, slots: dict[str, SlotSpec]) -> str:
    return slots[slot].label if slot in slots else slot.replace("_", " ")


def _mind_change(scenario: Scenario, slots: dict[str, SlotSpec]) -> str:
    change = scenario.mind_change
    if change is None:
        return ""
    parts = [f"{_label(slot, slots)}: {_shown(value)}" for slot, value in change.changes.items()]
    return (
        f"\nThe first time the agent asks you to confirm ({change.at.replace('_', ' ')}), you have "
        f"changed your mind and want instead: {'; '.join(parts)}. After that you stay with it.\n"
    )


def _sentence(template: str, parts: list[str]) -> str:
    return "\n" + template.format("; ".join(parts)) + "\n" if parts else ""


def _texts(says: str | Sequence[str]) -> JsonValue:
    return says if isinstance(says, str) else list(says)
