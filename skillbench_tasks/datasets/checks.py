"""What grading needs of a case, computed from its gold run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from pydantic import JsonValue

from skillbench_tasks.models import Checks, Fact, GoldConversation, MustSay, Scenario, Skill
from skillbench_tasks.tools.world import World
from skillbench_tasks.versions import DATA_VERSION

__all__ = ["checks_of"]

_SHORTEST_PROTECTED: Final = 3
"""Shorter values (a country code, a count) occur by chance and protect nothing."""


def checks_of(
    skill: Skill,
    scenario: Scenario,
    gold: GoldConversation,
    world: World,
    access: Mapping[str, Literal["read", "write"]],
) -> Checks:
    """Compute the checks of a case.

    Args:
        skill: The skill.
        scenario: The scenario.
        gold: Its gold run.
        world: The world in which the scenario starts.
        access: Full name of each offered tool → read or write.
    """
    used = {call.tool for turn in gold.turns for call in turn.calls}
    return Checks(
        scenario=scenario.id,
        skill=skill.name,
        industry=skill.industry,
        category=skill.category,
        kind=scenario.kind,
        subject=scenario.customer,
        toolkit=dict(access),
        required_tools=tuple(sorted(used - set(skill.optional_tools))),
        outcome=scenario.outcome,
        also_accept=scenario.also_accept,
        target=gold.changes,
        collections=dict(world.specs),
        rules=skill.rules.model_copy(update={"never": (*skill.rules.never, *scenario.never)}),
        protected=tuple(_protected(skill, scenario, world)),
        must_say=tuple(_must_say(gold)),
        text_checks=scenario.text_checks,
        data_version=DATA_VERSION,
    )


def _protected(skill: Skill, scenario: Scenario, world: World) -> Iterator[Fact]:
    """Yield the subject's values that the agent keeps to itself before verification."""
    for collection, fields in sorted(skill.rules.protected.items()):
        for record in world.records(collection):
            if scenario.customer is None or record.get("customer_id") != scenario.customer:
                continue
            key = record[world.specs[collection].key]
            for field in fields:
                name = f"{collection}.{key}.{field}"
                yield from (Fact(name=name, value=v) for v in _leaves(record.get(field)))


def _leaves(value: JsonValue) -> Iterator[JsonValue]:
    if isinstance(value, dict):
        for part in value.values():
            yield from _leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    elif not isinstance(value, bool | None) and len(str(value)) >= _SHORTEST_PROTECTED:
        yield value


def _must_say(gold: GoldConversation) -> Iterator[MustSay]:
    calls = [call for turn in gold.turns for call in turn.calls]
    seen: set[str] = set()
    for turn in gold.turns:
        for act in turn.acts:
            after = tuple(sorted({calls[claim].tool for claim in act.claims}))
            for fact in act.facts:
                must = MustSay(**dict(fact), after=after)
                if fact.name in act.must and must.model_dump_json() not in seen:
                    seen.add(must.model_dump_json())
                    yield must
