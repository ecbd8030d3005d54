"""A τ² retail folder as a source of cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from skillbench_tasks.datasets.adapters.tau2.callers import (
    OPENING,
    SLOTS,
    facts_of,
    goal_of,
    lacks,
    request_of,
)
from skillbench_tasks.datasets.adapters.tau2.reading import Domain, Task
from skillbench_tasks.datasets.adapters.tau2.replay import Replay, replay
from skillbench_tasks.datasets.adapters.tau2.worlds import start_world, tools_of
from skillbench_tasks.datasets.gold import skeleton_hash
from skillbench_tasks.datasets.loaders import load_slots
from skillbench_tasks.datasets.sources import Source
from skillbench_tasks.errors import DataError
from skillbench_tasks.models import (
    Act,
    AskedUser,
    Case,
    Checks,
    GoldConversation,
    GoldTurn,
    MustSay,
    Outcome,
    Rules,
    Scenario,
    ScenarioKind,
    Skill,
    SlotSpec,
)
from skillbench_tasks.tools.toolbox import Tool
from skillbench_tasks.tools.world import World

__all__ = ["Tau2Source"]

SKILL: Final = "retail"
PERSONA: Final = "as_instructed"
MAX_TURNS: Final = 100
"""Agent turns of a task at most; the task option `turns` is lower."""

_CRITERIA: Final = (
    "What the customer asked for and the policy allows is done, as the customer agreed to it.",
    "What the policy does not allow is not done, and the customer is told so.",
)
_CHECKLIST: Final = (
    "Find the customer's user id by email, or by name and zip code.",
    "Look up the orders, products and payment methods that the request is about.",
    "State each change in full and get a yes before it is made.",
    "Tell the customer what was done and what he wanted to know.",
)


class Tau2Source(Source):
    """The tasks of one folder.

    Args:
        domain: What the folder holds.

    Raises:
        DataError: Something in the folder does not fit.
    """

    def __init__(self, domain: Domain) -> None:
        self.name = "tau2_retail"
        self._world = start_world(domain)
        self._tools = tools_of(domain)
        replays = [
            replay(domain, index, self._tools, self._world) for index in range(len(domain.tasks))
        ]
        self.notes = tuple(note for one in replays for note in one.notes)
        self._slots: Final = {**load_slots(), **SLOTS}
        skill = _skill(domain, self._tools)
        self._cases: Final = tuple(
            self._case(skill, scenario, task, one, domain.digest)
            for scenario, task, one in zip(skill.scenarios, domain.tasks, replays, strict=True)
        )
        self._by_id: Final = {case.id: case for case in self._cases}

    def cases(self) -> Sequence[Case]:
        """Return the tasks as cases, in the file's order."""
        return self._cases

    def case(self, case_id: str) -> Case:
        """Return one task as a case."""
        if case_id not in self._by_id:
            raise DataError(self.name, case_id, "no such case", "ids are tau2-retail.task.<id>")
        return self._by_id[case_id]

    def tools(self, case: Case) -> list[Tool]:
        """Return the domain's tools: every task has all of them."""
        return self._tools

    def world(self, case: Case) -> World:
        """Return the world of the database: every task starts in it."""
        return self._world.copy()

    def slots(self, case: Case) -> Mapping[str, SlotSpec]:
        """Return the slots that ship, with those that read differently here."""
        return self._slots

    def company(self, case: Case) -> str:
        """Return how the policy calls the company: it has no name."""
        return "the retail store"

    def _case(self, skill: Skill, scenario: Scenario, task: Task, one: Replay, digest: str) -> Case:
        transfer_tools = tuple(t.spec.full_name for t in self._tools if t.spec.hands_over)
        gold = _gold(scenario, task, one, transfer_tools)
        checks = Checks(
            scenario=scenario.id,
            skill=skill.name,
            industry=skill.industry,
            category=skill.category,
            kind=scenario.kind,
            subject=None,
            toolkit={tool.spec.full_name: tool.spec.access for tool in self._tools},
            transfer_tools=transfer_tools,
            required_tools=one.writes,
            succeeding_tools=one.writes,
            outcome=scenario.outcome,
            also_accept=scenario.also_accept,
            target=one.changes,
            target_known=one.is_complete,
            collections={name: self._world.specs[name] for name in ("orders", "users")},
            effects={
                tool.spec.full_name: tool.spec.effects
                for tool in self._tools
                if tool.spec.effects is not None
            },
            policy=skill.instructions,
            rules=skill.rules,
            must_say=_must_say(task),
            data_version=f"tau2-{digest}",
        )
        return Case(skill=skill, scenario=scenario, gold=gold, checks=checks)


def _skill(domain: Domain, tools: Sequence[Tool]) -> Skill:
    return Skill(
        name=SKILL,
        description="Help the users of a retail store with their orders and their profile.",
        industry="retail",
        category="order processing",
        version="1",
        toolkit=tuple(tool.spec.full_name for tool in tools),
        instructions=domain.policy,
        program={"version": 1, "steps": []},
        rules=Rules(own_records=False),
        scenarios=tuple(_scenario(task) for task in domain.tasks),
    )


def _scenario(task: Task) -> Scenario:
    facts = facts_of(task)
    return Scenario(
        id=f"tau2-retail.task.{task.id}",
        kind=ScenarioKind.UNCLASSIFIED,
        title=f"τ² retail task {task.id}",
        customer=None,
        persona=PERSONA,
        goal=goal_of(task),
        requests=(request_of(task),),
        opening=OPENING,
        facts=facts,
        unknown=lacks(task, facts),
        outcome=Outcome.RESOLVED,
        also_accept=(Outcome.TRANSFERRED, Outcome.OUT_OF_SCOPE),
        success_criteria=(*_CRITERIA, *(task.evaluation_criteria.nl_assertions or ())),
        checklist=_CHECKLIST,
        max_turns=MAX_TURNS,
    )


def _must_say(task: Task) -> tuple[MustSay, ...]:
    told = task.evaluation_criteria.communicate_info or ()
    return tuple(MustSay(name=f"info_{n}", value=text) for n, text in enumerate(told, 1))


def _gold(
    scenario: Scenario, task: Task, one: Replay, transfer_tools: Sequence[str]
) -> GoldConversation:
    """Return the reference run: all actions in one turn, then what is to be told."""
    is_handed_over = any(c.tool in transfer_tools and c.error is None for c in one.calls)
    must = _must_say(task)
    act = Act(kind="say", act="report", facts=must, must=tuple(fact.name for fact in must))
    text = _words([str(fact.value) for fact in must], bool(one.changes), is_handed_over)
    turns = (
        GoldTurn(role="user", text=scenario.opening, user=AskedUser()),
        GoldTurn(role="agent", text=text, calls=one.calls, acts=(act,)),
    )
    return GoldConversation(
        scenario=scenario.id,
        skeleton=skeleton_hash(turns),
        turns=turns,
        outcome=Outcome.TRANSFERRED if is_handed_over else Outcome.RESOLVED,
        changes=one.changes,
    )


def _words(told: Sequence[str], is_changed: bool, is_handed_over: bool) -> str:
    """Return the words of the reference run; the tasks hold none."""
    found = "I've looked that up for you, and this is what you wanted to know"
    parts = [f"{found}: {'; '.join(told)}."] if told else []
    if is_handed_over:
        parts.append("I'm transferring you to a colleague who takes over from here.")
    elif is_changed:
        parts.append("I've updated everything that you asked for, and it is all done now.")
    elif told:
        parts.append("Is there anything else that I can help you with?")
    else:
        parts.append("I'm sorry, but that cannot be done here, so everything stays as it is.")
    return " ".join(parts)
