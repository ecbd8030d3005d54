"""Every gold conversation can be held with the scripted user: its agent lines get gold's answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from skillbench_tasks.datasets.loaders import (
    SKILLS_FOLDER,
    cases_of,
    load_personas,
    load_skills,
    load_slots,
)
from skillbench_tasks.models import AskedUser, Case
from skillbench_tasks.solvers.users import ScriptedUser, UserReply

SKILLS = sorted(path.parent.name for path in SKILLS_FOLDER.glob("**/SKILL.md"))


def _problems(case: Case) -> Iterator[str]:
    """Yield where the user answers a gold agent line otherwise than gold's user does."""
    scenario, turns = case.scenario, case.gold.turns
    slots = load_slots(case.skill.folder)
    user = ScriptedUser(scenario, load_personas()[scenario.persona], slots)
    last = None
    for i, turn in enumerate(turns):
        if turn.role != "agent":
            continue
        last = user.reply(turn.text)
        following = turns[i + 1].user if i + 1 < len(turns) else None
        if following is not None:
            yield from (
                f"{case.id} turn {i}: {turn.text!r} -> {problem}; got {last.acts}, {last.text!r}"
                for problem in _differences(following, last)
            )
    ends = {scenario.outcome.value, *(outcome.value for outcome in scenario.also_accept)}
    if last is None or last.end is None or last.end.value not in ends:
        yield f"{case.id}: {turns[-1].text!r} -> ends {sorted(ends)}; got {last}"


def _differences(gold: AskedUser, reply: UserReply) -> Iterator[str]:
    verbs = {act.partition(":")[0] for act in reply.acts}
    said = {act.partition(":")[2] for act in reply.acts if ":" in act}
    if reply.end is not None:
        yield f"ended as {reply.end}"
    if missing := (gold.tells.keys() | set(gold.unable)) - said:
        yield f"does not answer {sorted(missing)}"
    if gold.confirmed is True and ("confirm" not in verbs or verbs & {"refuse", "change"}):
        yield "does not say yes"
    if gold.confirmed is False and (not verbs & {"refuse", "change"} or "confirm" in verbs):
        yield "does not say no"
    if missing := gold.changes.keys() - said:
        yield f"does not change {sorted(missing)}"


@pytest.mark.parametrize("skill", SKILLS)
def test_gold_can_be_held_with_the_scripted_user(skill: str) -> None:
    (loaded,) = load_skills(None, skill)
    problems = [problem for case in cases_of(loaded) for problem in _problems(case)]
    assert not problems, "\n".join(problems)
