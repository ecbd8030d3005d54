"""What protocol A's judges read: the agent's prompt as it is, the request without faults, the end."""

from __future__ import annotations

import re

import pytest

from skillbench_tasks.datasets.agent_prompt import agent_prompt
from skillbench_tasks.datasets.briefs import brief_of
from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.datasets.sources import open_source
from skillbench_tasks.models import Episode, State, Termination
from skillbench_tasks.scorers.judge_prompt import case_file, skill_page

FAULT = re.compile(
    r"lost repl|repl\w+ (?:\S+ ){0,6}lost|failing|busy|system.failure|unreadable|the remark|planted"
    r"|do not know that|know nothing of",
    re.I,
)


def test_j3_judge_reads_the_agents_whole_prompt_house_rules_too() -> None:
    source = open_source()
    case = load_cases()[0]
    prompt = agent_prompt(case, source.company(case), source.world(case).now)
    page = skill_page(brief_of(case, source))
    assert prompt.strip() in page
    assert "Never claim something was done" in page


def test_j3_request_of_every_case_tells_no_fault_and_no_step_of_the_gold_run() -> None:
    source = open_source()
    told = []
    for case in load_cases():
        brief = brief_of(case, source)
        texts = (brief.goal, *brief.success_criteria)
        told += [f"{case.id}: {text}" for text in texts if FAULT.search(text)]
        assert "checklist" not in brief.model_dump()
    assert told == []


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (State.RESOLVED, "ended the conversation as settled"),
        (State.TRANSFERRED, "handed the customer over"),
        (State.OUT_OF_SCOPE, "out of scope"),
        (State.GAVE_UP, "gave up"),
        (State.TURN_BUDGET, "turns were used up (20 turns)"),
        (State.LIMIT, "limit of the run"),
    ],
)
def test_j11_prompt_says_how_the_conversation_ended(state: State, words: str) -> None:
    source = open_source()
    case = load_cases()[0]
    end = Termination(state=state, by="budget", detail="20 turns")
    episode = Episode(
        case=case.id, profile="offline", user="u", events=(), termination=end, changes=()
    )
    ending = case_file(brief_of(case, source), episode, []).split("# ENDING\n")[1]
    assert words in ending.splitlines()[0]
