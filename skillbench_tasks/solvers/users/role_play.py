"""What a model that plays the user may get wrong, and how its message is read.

Pure: text in, findings out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.datasets.surface import unknown_values
from skillbench_tasks.models import State, UserFault

__all__ = ["MARKS", "read_message", "role_faults"]

MARKS: Final[dict[str, State]] = {
    "###RESOLVED###": State.RESOLVED,
    "###TRANSFERRED###": State.TRANSFERRED,
    "###OUT_OF_SCOPE###": State.OUT_OF_SCOPE,
    "###GAVE_UP###": State.GAVE_UP,
}
"""End marks of the user's prompt → how the conversation ends."""

_MARK = re.compile(r"#{2,}\s*(RESOLVED|TRANSFERRED|OUT[_ ]OF[_ ]SCOPE|GAVE[_ ]UP)\s*#{0,}", re.I)
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.IGNORECASE | re.DOTALL)
_SPEAKER = re.compile(r"^\s*\**(?:customer|user|me)\**\s*:\s*", re.IGNORECASE)
_INVERTED = re.compile(
    r"^\s*\**(?:agent|assistant|support)\**\s*:|\bas (?:the|your|an) (?:support )?agent\b|"
    r"\bas an ai\b|\bhow (?:can|may) i (?:help|assist) you\b|"
    r"\bi(?:'d| would| will|'ll) be (?:happy|glad|delighted|pleased) to (?:help|assist)\b|"
    r"\bpleasure (?:for me )?to (?:help|assist)\b|"
    r"\bthank you for (?:contacting|calling|reaching out)\b|\bi (?:can|will|'ll) look up your\b|"
    r"\bis there anything else i can (?:help|do|assist)\b",
    re.IGNORECASE | re.MULTILINE,
)
_ASKS = re.compile(r"\?|\b(?:please (?:confirm|provide|tell|reply|give)|could you|can you)\b", re.I)

_POLITE: Final = frozenset(
    re.findall(
        r"[a-z']+",
        """no nope thanks thank you that's thats all bye goodbye great good nothing else that is it
        for your help so much i'm set the have a nice day was everything ok okay perfect cheers
        appreciate i""",
    )
)


def read_message(raw: str, agent_text: str) -> tuple[str, State | None, tuple[UserFault, ...]]:
    """Read a model's message as the user.

    Thinking and a speaker's name are cut off; marks inside thinking mean nothing. A mark glued to
    an answer that the agent still has to act on does not end the conversation.

    Args:
        raw: The model's text.
        agent_text: The agent message that it answers.

    Returns:
        The text that the agent reads, the end (or `None`), and faults.
    """
    faults: list[UserFault] = []
    thoughtless = _THOUGHT.sub("", raw)
    if thoughtless != raw:
        faults.append(UserFault.LEAKED_REASONING)
    marks = _MARK.findall(thoughtless)
    text = _SPEAKER.sub("", _MARK.sub("", thoughtless)).strip()
    end = _state(marks[-1]) if marks else None
    if end is not None and text and _ASKS.search(agent_text) and not _is_farewell(text):
        faults.append(UserFault.ENDED_WITH_CONFIRMATION)
        end = None
    if not text and end is None:
        faults.append(UserFault.EMPTY)
    return text, end, tuple(faults)


def role_faults(
    text: str, earlier: Sequence[str], known: Sequence[JsonValue]
) -> tuple[UserFault, ...]:
    """Return how a message breaks the role.

    Args:
        text: The message without marks.
        earlier: The user's earlier messages.
        known: All that the user can know: facts, the opening, what the agent has said.
    """
    faults: list[UserFault] = []
    if _INVERTED.search(text):
        faults.append(UserFault.ROLE_INVERTED)
    if text and text.casefold() in {line.casefold() for line in earlier}:
        faults.append(UserFault.REPEATED)
    if unknown_values(text, known):
        faults.append(UserFault.INVENTED_FACT)
    return tuple(faults)


def _state(mark: str) -> State:
    return State(mark.lower().replace(" ", "_"))


def _is_farewell(text: str) -> bool:
    """Return whether the text only takes leave, so that nothing is left for the agent to do."""
    words = re.findall(r"[a-z']+", text.casefold())
    first = words[0] if words else ""
    negative = first in ("no", "nope", "nothing", "thanks", "thank", "bye", "goodbye", "that's")
    return negative and sum(word in _POLITE for word in words) >= 0.8 * len(words)
