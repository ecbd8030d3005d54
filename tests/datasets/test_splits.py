"""The fixed splits: what they promise, that they are stored as made, and the wording they share."""

from __future__ import annotations

import json
import random
from collections import Counter
from importlib.resources import files
from itertools import combinations
from typing import TypeAlias

import pytest
from click.testing import CliRunner

from skillbench_tasks.cli import skillbench
from skillbench_tasks.datasets.conversations import open_conversations
from skillbench_tasks.datasets.ngrams import agent_texts, overlapping, word_ngrams
from skillbench_tasks.datasets.split_building import (
    OVERLAP_BOUND,
    PER_KIND,
    UNSEEN_SKILLS,
    build_splits,
    people_of,
)
from skillbench_tasks.datasets.splits import (
    Split,
    load_splits,
    novelty_of,
    split_conversations,
)
from skillbench_tasks.models.conversation import Conversation, Said
from tests.conftest import ROOT

BySplit: TypeAlias = dict[Split, list[Conversation]]
REMEDY = "words or cases changed: skillbench splits --json > skillbench_tasks/datasets/splits.json"
PAGE = (ROOT / "docs" / "conversation-format.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def by_split() -> BySplit:
    """The conversations of every split."""
    return {split: split_conversations(split) for split in Split}


def test_stored_splits_are_those_that_the_rules_make() -> None:
    conversations = list(open_conversations().conversations())
    assert build_splits(conversations) == load_splits(), REMEDY
    random.Random(4).shuffle(conversations)
    assert build_splits(conversations) == load_splits()


def test_command_prints_what_is_stored() -> None:
    stored = files("skillbench_tasks.datasets").joinpath("splits.json").read_text("utf-8")
    result = CliRunner().invoke(skillbench, ["splits", "--json"])
    assert (result.exit_code, result.output) == (0, stored), REMEDY


def test_every_conversation_is_in_one_split(by_split: BySplit) -> None:
    ids = [one.id for found in by_split.values() for one in found]
    assert sorted(ids) == sorted(open_conversations().ids())
    splits = load_splits()
    for split, found in by_split.items():
        assert {splits.split_of(one.id) for one in found} == {split}
    assert splits.split_of("nosuch") is None


def test_no_user_and_no_name_is_in_two_splits(by_split: BySplit) -> None:
    people = {
        split: set[str]().union(*(people_of(one) for one in found))
        for split, found in by_split.items()
    }
    for one, other in combinations(Split, 2):
        assert people[one] & people[other] == set()


def test_customers_of_other_splits_do_not_appear_in_training(by_split: BySplit) -> None:
    held = {person for one in by_split[Split.EVALUATION] for person in people_of(one)}
    names = {name for name in held if "/" not in name}
    assert len(names) > 50
    for one in by_split[Split.TRAIN]:
        text = one.model_dump_json(include={"steps"})
        industry = one.user.partition("/")[0]
        numbers = {person.removeprefix(f"{industry}/") for person in held}
        assert [word for word in names | numbers if word in text] == []


def test_whole_skills_are_held_out(by_split: BySplit) -> None:
    learned = {one.workflow for s in (Split.TRAIN, Split.VALIDATION) for one in by_split[s]}
    skills = {one.workflow for found in by_split.values() for one in found}
    assert learned == skills - set(UNSEEN_SKILLS)
    assert len(UNSEEN_SKILLS) == 2


def test_evaluation_has_every_kind_of_seen_and_of_unseen_skills(by_split: BySplit) -> None:
    evaluation = by_split[Split.EVALUATION]
    kinds = {one.kind for found in by_split.values() for one in found}
    counts = Counter((novelty_of(one), one.kind) for one in evaluation)
    for kind in kinds:
        assert counts["seen_skill", kind] == PER_KIND
        assert counts["unseen_skill", kind] >= PER_KIND
    seen = Counter(one.workflow for one in evaluation if novelty_of(one) == "seen_skill")
    assert len(seen) == 6
    assert max(seen.values()) <= 5


def test_evaluation_is_large_enough_and_validation_has_every_seen_skill(by_split: BySplit) -> None:
    total = sum(len(found) for found in by_split.values())
    assert len(by_split[Split.EVALUATION]) >= total / 4
    assert sum(len(one.decisions) for one in by_split[Split.EVALUATION]) >= 500
    assert len({one.workflow for one in by_split[Split.VALIDATION]}) == 6
    assert len({one.kind for one in by_split[Split.VALIDATION]}) == len(by_split[Split.VALIDATION])


def test_evaluation_shares_little_wording_with_what_is_learned_from(by_split: BySplit) -> None:
    evaluation = agent_texts(by_split[Split.EVALUATION])
    learned = agent_texts([*by_split[Split.TRAIN], *by_split[Split.VALIDATION]])
    shared = overlapping(evaluation, learned.values())
    assert len(shared) / len(evaluation) <= OVERLAP_BOUND, sorted(shared)


def test_figures_of_the_page_are_those_of_the_splits(by_split: BySplit) -> None:
    evaluation = by_split[Split.EVALUATION]
    parts = {
        "evaluation": evaluation,
        "– seen skills": [one for one in evaluation if novelty_of(one) == "seen_skill"],
        f"– unseen skills ({', '.join(UNSEEN_SKILLS)})": [
            one for one in evaluation if novelty_of(one) == "unseen_skill"
        ],
        "validation": by_split[Split.VALIDATION],
        "training": by_split[Split.TRAIN],
    }
    for name, found in parts.items():
        decisions, texts = sum(len(one.decisions) for one in found), len(agent_texts(found))
        row = f"| {name} | {len(found)} | {decisions} | {texts} | {decisions - texts} |"
        assert row in PAGE
    held = agent_texts(evaluation)
    shared = overlapping(held, agent_texts(by_split[Split.TRAIN]).values())
    assert f"{len(shared) / len(held):.1%}".replace("%", " %") in PAGE
    assert f"({len(shared)} of {len(held)})" in PAGE


def test_command_prints_figures_by_split_and_kind(by_split: BySplit) -> None:
    result = CliRunner().invoke(skillbench, ["splits"])
    assert result.exit_code == 0
    rows = [line.split() for line in result.output.splitlines()]
    by_name = {row[0]: row[1:] for row in rows if row}
    evaluation = by_split[Split.EVALUATION]
    decisions = sum(len(one.decisions) for one in evaluation)
    texts = len(agent_texts(evaluation))
    assert by_name["evaluation"][0] == str(len(evaluation))
    assert by_name["evaluation"][2:5] == [str(decisions), str(texts), str(decisions - texts)]
    assert {"seen_skill", "unseen_skill", "validation", "train", "lost_reply"} <= by_name.keys()
    assert f"of {texts} evaluation texts" in result.output


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("", 0, id="empty"),
        pytest.param("…!", 0, id="no word"),
        pytest.param("one two", 1, id="short: one as a whole"),
        pytest.param("a b c d e f g h", 1, id="eight words"),
        pytest.param("a b c d e f g h i j", 3, id="ten words"),
    ],
)
def test_ngrams_of_a_text_are_counted(text: str, count: int) -> None:
    assert len(word_ngrams(text)) == count


@pytest.mark.parametrize(
    ("text", "is_shared"),
    [
        pytest.param("Well: MAY I have your full name, and the phone?", True, id="case and marks"),
        pytest.param("May I have your full name or the phone?", False, id="seven words only"),
        pytest.param("Thanks!", True, id="short and equal"),
        pytest.param("Thanks a lot", False, id="short and longer"),
        pytest.param("", False, id="empty"),
    ],
)
def test_texts_overlap_by_eight_words_or_as_a_whole(text: str, is_shared: bool) -> None:
    training = ["may I have your full name and the phone number", "thanks"]
    assert bool(overlapping({"it": text}, training)) == is_shared


def test_agent_texts_are_named_by_their_decisions() -> None:
    conversation = Conversation(
        id="c",
        workflow="w",
        kind="k",
        user="u",
        policy="",
        steps=(Said(role="user", text="Hello"), Said(role="assistant", text="Hi")),
    )
    assert agent_texts([conversation]) == {"c#0": "Hi"}


def test_stored_file_names_conversations_that_ship() -> None:
    stored = json.loads(files("skillbench_tasks.datasets").joinpath("splits.json").read_text())
    assert set(stored) == {"unseen_skills", *Split}
