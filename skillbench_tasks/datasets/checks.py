"""What grading needs of a case, computed from its gold run."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.datasets.forbidden_slots import load_forbidden_slots
from skillbench_tasks.datasets.house_texts import load_house_texts
from skillbench_tasks.models import (
    Act,
    Checks,
    CollectionSpec,
    Fact,
    FieldKind,
    GoldConversation,
    Heard,
    MustSay,
    Outcome,
    Rules,
    Scenario,
    Skill,
    SlotSpec,
    ToldFirst,
    ToolSpec,
)
from skillbench_tasks.tools.catalogue.checks import written_by
from skillbench_tasks.tools.faults import may_be_done
from skillbench_tasks.tools.world import World
from skillbench_tasks.versions import DATA_VERSION

__all__ = ["checks_of"]

NEVER_TOLD: Final = ("date_of_birth", "security_word")
"""Fields of the customer's file that every skill keeps to itself before verification."""

_FACTORS: Final = ("postcode", "security_word", "date_of_birth", "account_number")
"""Slots that are asked for to tell who somebody is."""

_FREE_TEXTS: Final = ("notes", "details", "message", "summary")
_FREE_TEXT: Final = 5
"""From so many words on a value is a free text."""

_SHORTEST_PROTECTED: Final = 3
"""Shorter values (a country code, a count) occur by chance and protect nothing."""


def checks_of(
    skill: Skill,
    scenario: Scenario,
    gold: GoldConversation,
    world: World,
    tools: Sequence[ToolSpec],
    slots: Mapping[str, SlotSpec],
) -> Checks:
    """Compute the checks of a case.

    Args:
        skill: The skill.
        scenario: The scenario.
        gold: Its gold run.
        world: The world in which the scenario starts.
        tools: The tools offered.
        slots: What a user can be asked for, by name.
    """
    used = {call.tool for turn in gold.turns for call in turn.calls}
    transfer_tools = tuple(sorted(tool.full_name for tool in tools if tool.hands_over))
    required = used & _required(skill, tools) - set(scenario.optional_tools)
    return Checks(
        scenario=scenario.id,
        skill=skill.name,
        industry=skill.industry,
        category=skill.category,
        kind=scenario.kind,
        subject=scenario.customer,
        toolkit={tool.full_name: tool.access for tool in tools},
        transfer_tools=transfer_tools,
        required_tools=tuple(sorted(required)),
        outcome=scenario.outcome,
        also_accept=scenario.also_accept,
        target=gold.changes,
        **_of_world(tools, world),
        succeeding_tools=tuple(sorted(_succeeding(gold) & required)),
        before_transfer=_before_transfer(gold, required, transfer_tools),
        effects={t.full_name: t.effects for t in tools if t.effects is not None},
        policy=skill.instructions,
        **_asking(skill, scenario, gold, slots, tools),
        wrong_places=tuple(_wrong_places(skill, scenario, gold)),
        requests=scenario.requests,
        **_of_house(skill, tools, slots),
        rules=_rules(skill, scenario),
        protected=tuple(_protected(skill, scenario, world)),
        must_say=tuple(_must_say(gold)),
        text_checks=scenario.text_checks,
        data_version=DATA_VERSION,
    )


def _asking(
    skill: Skill,
    scenario: Scenario,
    gold: GoldConversation,
    slots: Mapping[str, SlotSpec],
    tools: Sequence[ToolSpec],
) -> dict[str, Any]:
    """Return what is never asked for, how many things a message asks for, and their words."""
    asks = any(act.slots for turn in gold.turns for act in turn.acts)
    is_refused = scenario.outcome is Outcome.OUT_OF_SCOPE and not asks
    most = 0 if skill.rules.refuses_unasked and is_refused else skill.rules.most_asked
    names = sorted(set(_slots_of(skill.program)) & slots.keys()) if most is not None else ()
    return {
        "never_ask": tuple(load_forbidden_slots()[name] for name in skill.rules.never_ask),
        "most_asked": most,
        "asked_words": {name: slots[name].cues for name in names},
        "unasked": _unasked(skill, scenario, gold),
        "heard": tuple(_heard(skill, scenario, gold)),
        "told_first": tuple(_told_first(skill, gold, tools)),
    }


def _unasked(skill: Skill, scenario: Scenario, gold: GoldConversation) -> tuple[str, ...]:
    """Return the details of the identity check, where a wish is refused without one."""
    rule = skill.rules.verification
    called = {call.tool for turn in gold.turns for call in turn.calls}
    is_refused = scenario.outcome is Outcome.OUT_OF_SCOPE and skill.rules.refuses_unasked
    return _FACTORS if rule and is_refused and rule.tool not in called else ()


def _heard(skill: Skill, scenario: Scenario, gold: GoldConversation) -> Iterator[Heard]:
    """Yield what this user has to have said before a call, where the reference run asks it."""
    asked = {slot for turn in gold.turns for act in turn.acts for slot in act.slots}
    for rule in skill.rules.heard:
        if rule.slot in asked and rule.slot in scenario.facts:
            later = scenario.mind_change.changes if scenario.mind_change else {}
            values = (
                scenario.facts[rule.slot],
                *([later[rule.slot]] if rule.slot in later else ()),
            )
            forms = scenario.says.get(rule.slot, ())
            forms = (forms,) if isinstance(forms, str) else tuple(forms)
            yield Heard(slot=rule.slot, before=rule.before, values=values, forms=forms)


def _told_first(
    skill: Skill, gold: GoldConversation, tools: Sequence[ToolSpec]
) -> Iterator[ToldFirst]:
    """Yield what the question for a yes tells, before the write that the yes is for.

    The question is named like its tool, or else is for the next write. Free texts are left out:
    they are told in the agent's own words.
    """
    asked = {rule.tool for rule in skill.rules.confirm}
    writes = {t.full_name for t in tools if t.access == "write" and not t.hands_over} & asked
    names = {name.rpartition(":")[2] for name in writes}
    question: Act | None = None
    for turn in gold.turns:
        for call in turn.calls:
            is_named = question is not None and question.act in names
            if question is None or call.tool not in writes:
                continue
            if not is_named or call.tool.endswith(f":{question.act}"):
                yield from (ToldFirst(**dict(f), before=call.tool) for f in _short(question.facts))
                question = None
        question = next((act for act in turn.acts if act.kind == "confirm"), question)


def _short(facts: Sequence[Fact]) -> Iterator[Fact]:
    for fact in facts:
        if fact.name not in _FREE_TEXTS and len(str(fact.value).split()) < _FREE_TEXT:
            yield fact


def _slots_of(part: JsonValue) -> Iterator[str]:
    """Yield the slots that a flow asks for."""
    if isinstance(part, list):
        for one in part:
            yield from _slots_of(one)
    elif isinstance(part, dict):
        named = part.get("slots") if part.get("kind") == "ask" else None
        yield from map(str, named if isinstance(named, list) else ())
        yield from _slots_of(list(part.values()))


def _required(skill: Skill, tools: Sequence[ToolSpec]) -> set[str]:
    """Return the tools that the policy requires, where the reference run comes to them.

    They stand in policy.yaml beside the sentence that demands them. A skill in the making, without
    that file, requires its writes and its identity check.
    """
    if skill.policy is not None:
        return set(skill.policy.required_tools)
    verification = skill.rules.verification
    writes = {tool.full_name for tool in tools if tool.access == "write"}
    return writes | ({verification.tool} if verification else set())


def _rules(skill: Skill, scenario: Scenario) -> Rules:
    """Return the skill's rules with what the scenario adds."""
    rules = skill.rules.model_copy(update={"never": (*skill.rules.never, *scenario.never)})
    if rules.verification is None:
        return rules
    factors = rules.verification.factors if scenario.factors is None else scenario.factors
    more = {"factors": factors, "needs": (*rules.verification.needs, *scenario.needs)}
    verification = rules.verification.model_copy(update=more)
    return rules.model_copy(update={"verification": verification})


def _of_world(tools: Sequence[ToolSpec], world: World) -> dict[str, Any]:
    """Return what the checks take from the world: what can be written, and the clock."""
    return {
        "collections": _written_collections(tools, world),
        "free_texts": _free_texts(tools, world),
        "now": world.now,
    }


def _written_collections(tools: Sequence[ToolSpec], world: World) -> dict[str, CollectionSpec]:
    """Return the declarations of the collections that the toolkit can change."""
    writes = [tool.behaviour or () for tool in tools if tool.access == "write"]
    names = {name for behaviour in writes for name in written_by(behaviour)}
    return {name: world.specs[name] for name in sorted(names)}


def _succeeding(gold: GoldConversation) -> set[str]:
    """Return the tools that the reference run called with success (a lost reply counts)."""
    calls = (call for turn in gold.turns for call in turn.calls)
    return {call.tool for call in calls if may_be_done(call.error)}


def _before_transfer(
    gold: GoldConversation, required: set[str], transfer_tools: Collection[str]
) -> dict[str, int]:
    """Return what must have been tried before the hand-over: tool → least number of calls.

    Repeated identity checks count each, since a second try is the policy's; other tools count once.
    """
    calls = [call for turn in gold.turns for call in turn.calls]
    handed = [index for index, call in enumerate(calls) if call.tool in transfer_tools]
    if not handed:
        return {}
    counts = Counter(call.tool for call in calls[: handed[0]] if call.tool in required)
    checks = [c for c in calls if isinstance(c.result, dict) and "verified" in c.result]
    last = checks[-1].result if checks else None
    proved = isinstance(last, dict) and last.get("verified") is True
    repeated = set() if proved else {c.tool for c in checks}
    return {tool: n if tool in repeated else 1 for tool, n in sorted(counts.items())}


def _protected(skill: Skill, scenario: Scenario, world: World) -> Iterator[Fact]:
    """Yield the subject's values that the agent keeps to itself before verification."""
    protected = {name: (*fields,) for name, fields in skill.rules.protected.items()}
    protected["customers"] = tuple({*protected.get("customers", ()), *NEVER_TOLD})
    for collection, fields in sorted(protected.items()):
        for record in world.candidates(collection, "customer_id", scenario.customer or ""):
            if record.get("customer_id") != scenario.customer:
                continue
            key = record[world.specs[collection].key]
            for field in sorted(fields):
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
        if isinstance(value, str) and ", " in value:
            yield value.split(", ")[0]  # a street tells the address without its unit too


def _free_texts(tools: Sequence[ToolSpec], world: World) -> dict[str, tuple[str, ...]]:
    """Return the arguments that a write puts into fields of free text, by tool."""
    found: dict[str, tuple[str, ...]] = {}
    for tool in tools:
        names: set[str] = set()
        for operation in tool.behaviour or ():
            spec = world.specs.get(str(operation.get("collection")))
            fields = {**_fields(operation.get("record")), **_fields(operation.get("set"))}
            for field, value in fields.items():
                if spec is not None and spec.fields.get(field) is FieldKind.TEXT:
                    names |= set(re.findall(r"args\.(\w+)", json.dumps(value)))
        if names and tool.access == "write":
            found[tool.full_name] = tuple(sorted(names))
    return found


def _of_house(
    skill: Skill, tools: Sequence[ToolSpec], slots: Mapping[str, SlotSpec]
) -> dict[str, Any]:
    """Return what the rules of the house need."""
    house = load_house_texts()
    return {
        "taken_over": house.taken_over if any(tool.hands_over for tool in tools) else (),
        "left_open": house.open,
        "codes": tuple(sorted(_codes(tools))),
        "factor_words": _factor_words(skill, tools, slots),
    }


def _codes(tools: Sequence[ToolSpec]) -> set[str]:
    """Return the names of tools and the values of their enumerations that are no plain words."""
    names = {tool.full_name.rpartition(":")[2] for tool in tools}
    for tool in tools:
        names |= _enumerated([tool.input_schema, tool.output_schema])
    return {name for name in names if "_" in name}


def _enumerated(part: JsonValue) -> set[str]:
    if isinstance(part, list):
        return {value for one in part for value in _enumerated(one)}
    if not isinstance(part, dict):
        return set()
    own = part.get("enum")
    values = {value for value in own if isinstance(value, str)} if isinstance(own, list) else set()
    return values | _enumerated(list(part.values()))


def _factor_words(
    skill: Skill, tools: Sequence[ToolSpec], slots: Mapping[str, SlotSpec]
) -> dict[str, tuple[str, ...]]:
    """Return how the details of the identity check are called: argument → cues of its slot."""
    rule = skill.rules.verification
    schema = next((t.input_schema for t in tools if rule and t.full_name == rule.tool), {})
    found = {}
    for name in schema.get("properties", {}):
        alike = [s for s in slots if s.rpartition("_")[2] in name.split("_")]
        slot = name if name in slots else next(iter(alike), None)
        if name != "customer_id" and slot is not None:
            found[name] = slots[slot].cues
    return found


def _fields(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _wrong_places(skill: Skill, scenario: Scenario, gold: GoldConversation) -> Iterator[Fact]:
    """Yield the places that are not due where a request is refused by naming the one that is.

    A place is due when a fact that has to be told shares a form with it.
    """
    told = {form for must in _must_say(gold) for form in (str(must.value), *must.forms)}
    due = {name for name, forms in skill.rules.places.items() if told & {name, *forms}}
    if scenario.outcome is Outcome.OUT_OF_SCOPE and due:
        for name, forms in skill.rules.places.items():
            if name not in due:
                yield Fact(name=name, value=name, forms=forms)


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
