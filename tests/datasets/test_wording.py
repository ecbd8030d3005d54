"""The check of authored words: each fault is found, and right words give none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from pydantic import JsonValue

from skillbench_tasks.datasets.wording import (
    claims_in,
    opening_overlaps,
    repeated_sentences,
    wording_faults,
)
from skillbench_tasks.models import (
    Act,
    AskedUser,
    CallError,
    Fact,
    GoldCall,
    GoldConversation,
    GoldTurn,
    Outcome,
    Scenario,
    ScenarioKind,
    SlotSpec,
)

OPENING = "Hi, this is Dana Whitlock. I need to move my technician visit."
POLICY = "Move a visit to a free slot. A move is free up to 24 hours before the visit."
SLOTS = {
    "postcode": SlotSpec(label="postcode", type="postcode", cues=("postcode", "zip code")),
    "new_date": SlotSpec(label="new date", type="date", cues=("new date", "which day")),
    "phone": SlotSpec(label="phone", type="phone", cues=("phone number",)),
}
SCENARIO = Scenario(
    id="visit.straightforward",
    kind=ScenarioKind.STRAIGHTFORWARD,
    title="Move a visit",
    customer="CUS-1",
    persona="efficient",
    goal="You want another day.",
    requests=("reschedule",),
    opening=OPENING,
    tells=("full_name",),
    facts={"full_name": "Dana Whitlock", "postcode": "30316", "new_date": "2026-03-17"},
    says={"postcode": "three-oh-three, then sixteen"},
    outcome=Outcome.RESOLVED,
    success_criteria=("a", "b"),
    checklist=("a", "b"),
)
FOUND = GoldCall(
    tool="mcp.calendar:get_visit",
    arguments={"visit_id": "VIS-2031"},
    result={"visit_id": "VIS-2031", "window": "08:00-12:00", "status": "shipped"},
)
MOVED = GoldCall(tool="mcp.calendar:reschedule_visit", arguments={"date": "2026-03-17"}, result={})
FAILED = MOVED.model_copy(
    update={
        "error": CallError(code="unavailable", message="no reply", retryable=True),
        "result": None,
    }
)
TRANSFERRED = GoldCall(tool="mcp.desk:transfer_to_human", arguments={}, result={})
DATE = Fact(name="date", value="2026-03-17")
RIGHT = (
    OPENING,
    "Happy to help. What's your postcode, and which day suits you?",
    "30316, and Tuesday the 17th of March please.",
    "Visit VIS-2031 would move to Tuesday, March 17, between 8 and 12. Shall I go ahead?",
    "Yes, please.",
    "I've moved your visit to March 17. It costs nothing, as it's more than 24 hours away.",
)


def _gold(
    texts: Sequence[str], claims: Sequence[int] = (1,), *, ok: bool = True
) -> GoldConversation:
    """The conversation about a visit, in these words."""
    ask = Act(kind="ask", act="ask", slots=("postcode", "new_date"))
    confirm = Act(kind="confirm", act="reschedule_visit", facts=(DATE,))
    tell = Act(kind="say", act="moved", facts=(DATE,), claims=tuple(claims))
    told: dict[str, JsonValue] = {"postcode": "30316", "new_date": "2026-03-17"}
    turns = (
        GoldTurn(role="user", user=AskedUser(tells={"full_name": "Dana Whitlock"})),
        GoldTurn(role="agent", acts=(ask,)),
        GoldTurn(role="user", user=AskedUser(tells=told)),
        GoldTurn(role="agent", calls=(FOUND,), acts=(confirm,)),
        GoldTurn(role="user", user=AskedUser(confirmed=True)),
        GoldTurn(role="agent", calls=(MOVED if ok else FAILED,), acts=(tell,)),
    )
    return _conversation(
        turn.model_copy(update={"text": text}) for turn, text in zip(turns, texts, strict=True)
    )


def _conversation(turns: Iterable[GoldTurn]) -> GoldConversation:
    return GoldConversation.model_validate(
        {
            "scenario": SCENARIO.id,
            "skeleton": "x",
            "turns": tuple(turns),
            "outcome": "resolved",
            "changes": (),
        }
    )


def _faults(gold: GoldConversation, scenario: Scenario = SCENARIO) -> list[str]:
    return wording_faults(gold, scenario, SLOTS, POLICY)


def _with(changes: dict[int, str]) -> tuple[str, ...]:
    return tuple(changes.get(index, text) for index, text in enumerate(RIGHT))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="as written"),
        pytest.param({1: "Please tell me the zip code and the new date you'd like."}, id="request"),
        pytest.param({2: "Three-oh-three, then sixteen. The 17th of March."}, id="own wording"),
        pytest.param({4: "Go ahead."}, id="go ahead"),
        pytest.param({4: "No problem, that works."}, id="yes after no problem"),
        pytest.param({3: "It'd be VIS-2031 on 17 March. Please confirm."}, id="please confirm"),
        pytest.param(
            {3: "Your order was shipped. OK to move it to 3/17?"}, id="report of a record"
        ),
        pytest.param({3: "Once it has been moved to March 17 you get a note. OK?"}, id="condition"),
        pytest.param({5: "You're all set for Tuesday, March 17."}, id="all set"),
        pytest.param({1: "1. Your postcode?\n2. And which day?"}, id="numbered"),
        pytest.param({5: "Thanks, Dana Whitlock: it's March 17."}, id="known name"),
    ],
)
def test_wording_faults_right_words_give_none(changes: dict[int, str]) -> None:
    assert _faults(_gold(_with(changes))) == []


@pytest.mark.parametrize(
    ("turn", "text", "fault"),
    [
        (0, "Hello, Dana Whitlock here.", "not the scenario's opening"),
        (0, "Hi, I need to move my technician visit.", "does not tell full_name"),
        (1, "Happy to help.", "does not ask for postcode: none of its cues"),
        (1, "Which day suits you?", "does not ask for postcode: none of its cues"),
        (1, "Your postcode. Your new date.", "does not ask for postcode: no question"),
        (1, "What is your name? What's your postcode? And which day?", "asks 3 things"),
        (1, "Please give me your postcode, phone number and new date.", "asks 3 things"),
        (1, "", "the text is empty"),
        (1, "  \n ", "the text is empty"),
        (1, "What's your postcode, ${name}, and which day?", "leftover '${'"),
        (1, "What's your postcode, {{name}}, and which day?", "leftover '{{'"),
        (1, "What's your postcode, [name], and which day?", "leftover '[name]'"),
        (1, "TODO What's your postcode and which day?", "leftover 'TODO'"),
        (1, "Your postcode and which day? <turn>", "leftover '<turn>'"),
        (1, "We're at 404-555-0199. Your postcode, and which day?", "says '404-555-0199'"),
        (2, "30316, as I said.", "does not tell new_date"),
        (2, "30317, and Tuesday the 17th of March.", "does not tell postcode"),
        (2, "30316, the 17th of March. My phone is 404-555-0142.", "says '404-555-0142'"),
        (3, "Visit VIS-2031 would move to March 17.", "asks for no confirmation"),
        (3, "Shall I move VIS-2031?", "does not express date"),
        (3, "Shall I move VIS-2032 to March 17?", "says 'VIS-2032'"),
        (3, "Shall I move it to March 17 for $25?", "says '$25'"),
        (3, "I've moved it to March 17, okay?\nI've updated it.", "claims a done action"),
        (3, "Your visit has been rescheduled to March 17. Is that fine?", "claims a done action"),
        (3, "March 17 is now booked. Is that fine?", "claims a done action"),
        (3, "March 17, you’re all set. Is that fine?", "claims a done action"),
        (3, "Shall I ask Marcus Bell to come on March 17?", "says 'Marcus Bell'"),
        (4, "No, not now.", "a yes is not heard"),
        (4, "Tuesday the 17th.", "a yes is not heard"),
        (5, "I've moved your visit.", "does not express date"),
        (5, "I've moved your visit to March 18, not March 17.", "says 'March 18'"),
    ],
)
def test_wording_faults_each_kind_is_named_with_its_turn(turn: int, text: str, fault: str) -> None:
    faults = _faults(_gold(_with({turn: text})))
    assert any(f.startswith(f"turn {turn} (") and fault in f for f in faults), faults


@pytest.mark.parametrize(
    ("turn", "text"),
    [
        (2, "30316, as I said."),
        (3, "Shall I move VIS-2032 to March 17?"),
        (4, "Hm, Tuesday the 17th."),
        (5, "I've moved your visit."),
    ],
)
def test_wording_faults_one_defect_gives_one_fault(turn: int, text: str) -> None:
    assert len(_faults(_gold(_with({turn: text})))) == 1


@pytest.mark.parametrize(
    ("claims", "ok", "fault"),
    [
        ((1,), False, "claims call 1 (mcp.calendar:reschedule_visit), which failed"),
        ((7,), True, "claims call 7, which does not exist"),
        ((), True, "claims a done action"),
        ((1,), True, None),
    ],
)
def test_wording_faults_claims_need_their_call(
    claims: tuple[int, ...], ok: bool, fault: str | None
) -> None:
    faults = _faults(_gold(RIGHT, claims, ok=ok))
    assert (faults == []) if fault is None else any(fault in f for f in faults)


def test_wording_faults_a_claim_before_its_call_is_named() -> None:
    early = Act(kind="say", act="moved", claims=(0,))
    gold = _conversation(
        [
            GoldTurn(role="user", text=OPENING),
            GoldTurn(role="agent", text="I've moved it.", acts=(early,)),
            GoldTurn(role="agent", text="Anything else?", calls=(MOVED,)),
        ]
    )
    assert _faults(gold) == [
        "turn 1 (agent): claims call 0 (mcp.calendar:reschedule_visit), which comes later",
        'turn 1 (agent): claims a done action ("i\'ve moved"), but no act of the turn does',
    ]


@pytest.mark.parametrize(
    ("user", "text", "faults"),
    [
        (AskedUser(confirmed=False), "No, leave it.", []),
        (AskedUser(confirmed=False), "I'd rather not.", []),
        (AskedUser(confirmed=False), "Sounds good.", ["turn 1 (user): a no is not heard"]),
        (
            AskedUser(confirmed=False, changes={"new_date": "2026-03-18"}),
            "Actually, make it the 18th.",
            [],
        ),
        (
            AskedUser(confirmed=False, changes={"new_date": "2026-03-18"}),
            "Yes, the 18th.",
            ["turn 1 (user): a change of mind is not heard"],
        ),
        (
            AskedUser(confirmed=False, changes={"new_date": "2026-03-18"}),
            "Actually, something else.",
            ["turn 1 (user): does not tell new_date = '2026-03-18'"],
        ),
    ],
    ids=lambda v: v if isinstance(v, str) else None,
)
def test_wording_faults_answers_are_heard(user: AskedUser, text: str, faults: list[str]) -> None:
    turns = [GoldTurn(role="user", text=OPENING), GoldTurn(role="user", text=text, user=user)]
    assert _faults(_conversation(turns)) == faults


@pytest.mark.parametrize(("calls", "n"), [((TRANSFERRED,), 0), ((), 1)], ids=["called", "not"])
def test_wording_faults_a_hand_over_says_so_after_its_call(
    calls: tuple[GoldCall, ...], n: int
) -> None:
    act = Act(kind="hand_over", act="verification_failed")
    turn = GoldTurn(role="agent", text="I've passed you to a colleague.", calls=calls, acts=(act,))
    assert len(_faults(_conversation([GoldTurn(role="user", text=OPENING), turn]))) == n


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("I've refunded the order.", 1),
        ("I have just cancelled it.", 1),
        ("We’ve gone ahead and booked it.", 1),
        ("I just sent a link.", 1),
        ("I cancelled your visit.", 1),
        ("Your plan has been upgraded.", 1),
        ("Your visit is now booked.", 1),
        ("All done!", 1),
        ("That's taken care of.", 1),
        ("Your order has been cancelled.", 0),  # the records say so
        ("I've cancelled your order.", 1),
        ("Your parcel has been shipped.", 0),
        ("I've checked your account and found the order.", 0),
        ("I'll refund it once you confirm.", 0),
        ("Once I've refunded it, you get a note.", 0),
        ("I haven't refunded anything.", 0),
        ("It has not been refunded.", 0),
        ("Has it been refunded?", 0),
        ("After the visit has been moved, you get a note.", 0),
        ("I can't say it has been refunded.", 0),
    ],
)
def test_claims_in_only_done_actions_count(text: str, n: int) -> None:
    assert len(claims_in(text, {"cancelled"})) == n


def test_opening_overlaps_only_pairs_above_the_bound_are_named() -> None:
    openings = {
        "a": "I want to return my blue kettle today please",
        "b": "Please, I want to return my blue kettle today!",
        "c": "My parcel never came",
    }
    assert opening_overlaps(openings) == [("a", "b", 1.0)]
    one_more = {"a": "one two three four", "b": "one two three four five"}
    assert opening_overlaps(one_more) == []
    assert opening_overlaps(one_more, bound=0.79) == [("a", "b", 0.8)]


def test_repeated_sentences_are_counted_once_per_conversation() -> None:
    conversations = {
        "a": ["Thanks for waiting. Your total is $5.10.", "Thanks for waiting!"],
        "b": ["thanks for waiting - your total is $7."],
        "c": ["Your total is $99."],
        "d": ["Thanks, for waiting."],
    }
    assert repeated_sentences(conversations) == [
        ("thanks for waiting", 2),
        ("your total is #", 2),
    ]
    assert repeated_sentences(conversations, share=0.5) == []


def test_repeated_sentences_of_one_conversation_are_not_repeated() -> None:
    assert repeated_sentences({"a": ["Sure.", "Sure."]}) == []
