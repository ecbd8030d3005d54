"""A user message in the making."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Answer"]


@dataclass
class Answer:
    """The answer under way: slots to tell and lines to say, each once."""

    message: str = ""  # what the agent said, as written
    told: list[tuple[str, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)  # named in a yes/no question, without a fact
    lines: list[str] = field(default_factory=list)
    acts: tuple[str, ...] = ()
    is_declined: bool = False
    agrees: bool = False  # he says yes to an action, not just to a value or a record
    text: str = ""

    @property
    def is_contradicted(self) -> bool:
        """Whether the user has said that something is wrong, or that he does not want it."""
        return any(act.startswith(("refuse:", "correct:", "change:")) for act in self.acts)

    def add(self, *acts: str) -> None:
        """Note what the user does, each act once."""
        self.acts += tuple(act for act in acts if act not in self.acts)
