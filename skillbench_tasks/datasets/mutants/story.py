"""A case as the operators see it: the gold calls in their places, and the world around them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

from pydantic import JsonValue

from skillbench_tasks.datasets.loaders import skill_tools, start_world
from skillbench_tasks.datasets.script import Script, gold_script
from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import (
    Case,
    CollectionSpec,
    FieldKind,
    GoldCall,
    GoldTurn,
    Outcome,
    Record,
    ToolSpec,
)
from skillbench_tasks.tools.faults import LOST_REPLY
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.world import World

__all__ = ["HAND_OVER", "Place", "Story", "digest", "is_lost", "pick"]

HAND_OVER: Final = "mcp.desk:transfer_to_human"
"""The tool that passes a conversation on to a person."""

_Option = TypeVar("_Option")


@dataclass(frozen=True)
class Place:
    """A gold call and where it stands: index of its turn, index within the turn."""

    turn: int
    index: int
    call: GoldCall


class Story:
    """A case with its gold script, its start world and the places of its calls."""

    def __init__(self, case: Case) -> None:
        self.case: Final = case
        self.turns: Final[tuple[GoldTurn, ...]] = case.gold.turns
        self.script: Final[Script] = gold_script(case)
        self.world: Final[World] = start_world(case.skill, case.scenario)
        self.subject: Final = case.scenario.customer
        self.places: Final = tuple(
            Place(number, index, call)
            for number, turn in enumerate(self.turns)
            for index, call in enumerate(turn.calls)
        )

    @cached_property
    def tools(self) -> dict[str, ToolSpec]:
        """The toolkit's definitions by full name."""
        return {tool.spec.full_name: tool.spec for tool in skill_tools(self.case.skill)}

    @cached_property
    def verifications(self) -> tuple[Place, ...]:
        """The calls that check the user's identity."""
        rule = self.case.checks.rules.verification
        return tuple(p for p in self.places if rule is not None and p.call.tool == rule.tool)

    @cached_property
    def verified(self) -> Place | None:
        """The first check that succeeded."""
        return next((p for p in self.verifications if self.proves(p)), None)

    @cached_property
    def writes(self) -> tuple[Place, ...]:
        """The writes that took effect, hand-overs left out."""
        return tuple(
            p
            for p in self.places
            if self.is_write(p.call.tool)
            and p.call.tool != HAND_OVER
            and (p.call.error is None or is_lost(p))
        )

    @cached_property
    def agent_turns(self) -> tuple[int, ...]:
        """Indexes of the agent's turns."""
        return tuple(i for i, turn in enumerate(self.turns) if turn.role == "agent")

    @property
    def last(self) -> int:
        """Index of the last agent turn."""
        return self.agent_turns[-1]

    @property
    def right_ends(self) -> frozenset[Outcome]:
        """Ends that are right for the case."""
        return frozenset((self.case.scenario.outcome, *self.case.scenario.also_accept))

    def is_write(self, tool: str) -> bool:
        """Return whether a tool of the toolkit may change the world."""
        return self.case.checks.toolkit.get(tool) == "write"

    def proves(self, place: Place) -> bool:
        """Return whether a call is a successful check of the user's identity."""
        rule = self.case.checks.rules.verification
        result = place.call.result
        return (
            rule is not None
            and place.call.tool == rule.tool
            and isinstance(result, dict)
            and result.get(rule.field) is True
        )

    def is_repeated_fully(self, check: Place) -> bool:
        """Return whether a later check covers this one before anything rests on it.

        Where a policy asks for a further factor, one check of all of them does for both.
        """
        for place in self.places:
            if (place.turn, place.index) <= (check.turn, check.index):
                continue
            if place not in self.verifications:
                return False
            if place.call.arguments.items() > check.call.arguments.items():
                return True
        return False

    def failed_before(self, place: Place) -> bool:
        """Return whether an earlier attempt of the same call, in the same turn, failed."""
        return any(
            p.turn == place.turn
            and p.index < place.index
            and p.call.error is not None
            and (p.call.tool, p.call.arguments) == (place.call.tool, place.call.arguments)
            for p in self.places
        )

    def check_of(self, lost: Place) -> Place | None:
        """Return the read that follows a lost reply, if there is one."""
        after = (p for p in self.places if p.turn == lost.turn and p.index == lost.index + 1)
        return next((p for p in after if not self.is_write(p.call.tool)), None)

    def collection_of(self, argument: str) -> str | None:
        """Return the collection whose records an argument names by their key."""
        name = "item_id" if argument == "item_ids" else argument
        if name == "customer_id":
            return "customers"
        specs = self.world.specs
        return next((c for c, spec in specs.items() if spec.key == name), None)

    def records_of(self, collection: str, owner: str | None) -> list[Record]:
        """Return a customer's records of a collection, by key."""
        key = self.world.specs[collection].key
        found = [r for r in self.world.records(collection) if r.get("customer_id") == owner]
        return sorted(found, key=lambda record: str(record[key]))

    def stranger(self, *salt: object) -> str | None:
        """Return some other customer whose file is active."""
        others = sorted(
            str(record["customer_id"])
            for record in self.world.records("customers")
            if record["customer_id"] != self.subject and record.get("status") == "active"
        )
        return pick(others, self.case.id, *salt) if others else None

    @cached_property
    def end_world(self) -> World:
        """The world after the gold conversation."""
        tools = skill_tools(self.case.skill)
        toolbox = Toolbox(tools, self.world, self.case.scenario.faults)
        for place in self.places:
            try:
                toolbox.call(place.call.tool, place.call.arguments)
            except ToolFailure:
                continue
        return toolbox.world

    def changes_end(self, tool: str, arguments: dict[str, JsonValue]) -> bool:
        """Return whether a further call at the end succeeds and leaves a visible change."""
        toolbox = Toolbox(skill_tools(self.case.skill), self.end_world)
        try:
            toolbox.call(tool, arguments)
        except ToolFailure:
            return False
        specs = self.world.specs
        return any(
            _visible(change.before, specs[change.collection])
            != _visible(change.after, specs[change.collection])
            for change in toolbox.world.changes_since(self.end_world)
        )


def _visible(record: Record | None, spec: CollectionSpec) -> Record | None:
    """A record without the fields that only tell when and in what words."""
    if record is None:
        return None
    hidden = (FieldKind.TIMESTAMP, FieldKind.IGNORED, FieldKind.TEXT)
    return {name: v for name, v in record.items() if spec.fields.get(name) not in hidden}


def is_lost(place: Place) -> bool:
    """Return whether the reply to a call was lost after it had been carried out."""
    return place.call.error is not None and place.call.error.code in LOST_REPLY


def digest(*parts: object) -> int:
    """Return a number that looks random and is the same on every machine."""
    text = "|".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def pick(options: Sequence[_Option], *salt: object) -> _Option:
    """Return one of the options, always the same one for the same salt."""
    return options[digest(*salt) % len(options)]
