"""The closed loop's rules, one output at a time, against outcomes worked out by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from math import sqrt

import pytest

from skillbench_tasks.datasets.conversations import ConversationSource, open_conversations
from skillbench_tasks.datasets.splits import Split, split_conversations
from skillbench_tasks.errors import OptionError
from skillbench_tasks.models import CallError
from skillbench_tasks.models.conversation import CalledTool, Conversation, ConversationTool, Said
from skillbench_tasks.models.replay_record import ReplayRecord
from skillbench_tasks.reports.next_turn_ceilings import ceilings
from skillbench_tasks.scorers.replay_score import Propagation, ReplayScore, replay_score
from skillbench_tasks.solvers.next_action import prediction_of
from skillbench_tasks.solvers.predictors import Situation, open_predictor
from skillbench_tasks.solvers.replay import Matcher, Replay, Reply, StrictMatcher, WorldMatcher
from skillbench_tasks.tools.prediction import PredictedCall, Prediction
from skillbench_tasks.tools.toolbox import Toolbox

FIND = CalledTool(tool="find", arguments={"name": "Ann"}, result={"id": 7})
LOST = CallError(code="timeout", message="no answer", retryable=True)
SWITCH = CalledTool(tool="switch", arguments={"id": 7}, error=LOST)
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "id": {"type": "integer"}},
    "additionalProperties": False,
}
LAMP = Conversation(
    id="lamp",
    workflow="lamp",
    kind="plain",
    user="ann",
    policy="You switch lamps.",
    tools=tuple(ConversationTool(name=name, input_schema=SCHEMA) for name in ("find", "switch")),
    steps=(
        Said(role="user", text="Light, please."),  # block 1: decisions 0-3
        FIND,
        Said(role="assistant", text="I found it."),
        SWITCH,
        Said(role="assistant", text="On?"),
        Said(role="user", text="Yes."),  # block 2: decision 4
        Said(role="assistant", text="Good."),
    ),
)


def say(text: str) -> Prediction:
    return Prediction(action="text" if text else "nothing", text=text)


def do(*calls: CalledTool, text: str = "") -> Prediction:
    made = tuple(PredictedCall(tool=one.tool, arguments=one.arguments) for one in calls)
    return Prediction(action="call", text=text, calls=made)


WRONG = CalledTool(tool="find", arguments={"name": "Bob"})
UNKNOWN = CalledTool(tool="lamp", arguments={})


def played(outputs: Sequence[Prediction]) -> tuple[ReplayRecord, list[Reply]]:
    replay = Replay(LAMP, StrictMatcher(LAMP))
    replies = [replay.take(output) for output in outputs]
    return replay.record(), replies


@pytest.mark.parametrize(
    ("outputs", "outcomes", "completion", "first_try"),
    [
        pytest.param(
            [do(FIND), say("It is here."), do(SWITCH), say("Lit?"), say("Fine.")],
            ["done", "done", "done", "done", "done"],
            True,
            True,
            id="reference-in-other-words",
        ),
        pytest.param(
            [do(FIND), do(SWITCH), say("Lit?"), say("Fine.")],
            ["done", "passed_over", "done", "done", "done"],
            True,
            True,
            id="text-between-calls-not-said",
        ),
        pytest.param(
            [do(FIND), do(SWITCH, text="Here."), say("Lit?"), say("Fine.")],
            ["done", "done", "done", "done", "done"],
            True,
            True,
            id="text-beside-the-next-call",
        ),
        pytest.param(
            [do(FIND, SWITCH, text="One moment."), say("Lit?"), say("Fine.")],
            ["done", "passed_over", "done", "done", "done"],
            True,
            True,
            id="two-calls-in-one-output",
        ),
        pytest.param(
            [do(WRONG), do(WRONG), do(FIND), say("Here."), do(SWITCH), say("Lit?"), say("Fine.")],
            ["corrected", "done", "done", "done", "done"],
            True,
            False,
            id="corrected-at-the-third-try",
        ),
        pytest.param(
            [do(UNKNOWN, WRONG, UNKNOWN, SWITCH), do(FIND), do(SWITCH), say("Lit?"), say("Fine.")],
            ["corrected", "passed_over", "done", "done", "done"],
            True,
            False,
            id="several-rejections-in-one-output-are-one-try",
        ),
        pytest.param(
            [do(WRONG, WRONG, FIND), do(SWITCH), say("Lit?"), say("Fine.")],
            ["corrected", "passed_over", "done", "done", "done"],
            True,
            False,
            id="two-guesses-at-the-due-function-are-two-tries",
        ),
        pytest.param(
            [do(WRONG, WRONG, WRONG, FIND), do(SWITCH), say("Lit?"), say("Fine.")],
            ["rejected", "passed_over", "corrected", "done", "done"],
            False,
            False,
            id="guesses-at-the-due-function-run-out-within-one-output",
        ),
        pytest.param(
            [do(WRONG, FIND), do(SWITCH), say("Lit?"), say("Fine.")],
            ["corrected", "passed_over", "done", "done", "done"],
            True,
            False,
            id="rejected-and-matched-in-one-output",
        ),
        pytest.param(
            [do(WRONG), do(WRONG), do(WRONG), do(SWITCH), say("Lit?"), say("Fine.")],
            ["rejected", "passed_over", "done", "done", "done"],
            False,
            False,
            id="rejected-three-times",
        ),
        pytest.param(
            [say("Here."), do(SWITCH), say("Lit?"), say("Fine.")],
            ["missed", "done", "done", "done", "done"],
            False,
            False,
            id="call-missed-before-a-text-between",
        ),
        pytest.param(
            [do(FIND), say("Here."), say("Lit?"), say("Fine.")],
            ["done", "done", "missed", "done", "done"],
            False,
            False,
            id="call-missed-before-the-last-text",
        ),
        pytest.param(
            [say(""), say(""), say("")],
            ["missed", "missed", "missed", "missed", "missed"],
            False,
            False,
            id="silent",
        ),
        pytest.param(
            [do(FIND), do(SWITCH), do(SWITCH), say("Lit?"), say("Fine.")],
            ["done", "passed_over", "done", "corrected", "done"],
            True,
            False,
            id="repeated-call-where-a-text-is-due",
        ),
        pytest.param(
            [do(FIND), do(SWITCH), do(FIND), do(FIND), do(FIND), say("Fine.")],
            ["done", "passed_over", "done", "rejected", "done"],
            False,
            False,
            id="calls-for-ever-where-a-text-is-due",
        ),
        pytest.param(
            [do(SWITCH), do(FIND), do(SWITCH), say("Lit?"), say("Fine.")],
            ["corrected", "passed_over", "done", "done", "done"],
            True,
            False,
            id="out-of-order",
        ),
        pytest.param(
            [do(FIND), say("Here.")],
            ["done", "done", "not_reached", "not_reached", "not_reached"],
            False,
            False,
            id="broken-off",
        ),
    ],
)
def test_replay_settles_decisions(
    outputs: list[Prediction], outcomes: list[str], completion: bool, first_try: bool
) -> None:
    record, _ = played(outputs)
    assert [str(one.outcome) for one in record.decisions] == outcomes
    score = replay_score(record)
    assert (score.completion, score.completion_first_try) == (completion, first_try)


def test_replay_answers_with_what_is_recorded_and_says_the_gold_user_turns() -> None:
    _, replies = played([do(FIND), say("Here."), do(SWITCH), say("Lit?"), say("Fine.")])
    assert replies[0].answers[0].result == {"id": 7}
    assert (replies[1].goes_on, replies[1].said) == (True, ())
    assert replies[2].answers[0].error == LOST
    assert (replies[3].goes_on, replies[3].said) == (False, ("Yes.",))
    assert replies[4] == Reply()


@pytest.mark.parametrize(
    ("call", "code"),
    [
        pytest.param(PredictedCall(tool="lamp", arguments={}), "unknown_tool", id="no-tool"),
        pytest.param(
            PredictedCall(tool="find", arguments={"nme": "Ann"}), "invalid_arguments", id="schema"
        ),
        pytest.param(
            PredictedCall(tool="find", arguments=None, problem="no JSON"),
            "invalid_arguments",
            id="unreadable",
        ),
        pytest.param(
            PredictedCall(tool="find", arguments={"name": "Bob"}), "not_accepted", id="values"
        ),
        pytest.param(
            PredictedCall(tool="switch", arguments={"id": 7}), "not_accepted", id="too-early"
        ),
    ],
)
def test_rejected_call_is_told_an_error_that_gives_nothing_away(
    call: PredictedCall, code: str
) -> None:
    replay = Replay(LAMP, StrictMatcher(LAMP))
    error = replay.take(Prediction(action="call", calls=(call,))).answers[0].error
    assert error is not None
    assert error.code == code
    assert "Ann" not in error.message
    assert "find" not in error.message.replace(call.tool, "")


def test_propagation_counts_what_follows_the_first_error() -> None:
    outputs = [do(WRONG), do(FIND), say("Here."), say("Lit?"), say("")]
    record, _ = played(outputs)
    # 0 corrected · 1 done · 2 missed · 3 done · 4 missed
    assert replay_score(record).propagation == Propagation(
        first_error=1,
        first_error_corrected=True,
        later_decisions=4,
        later_failed=2,
        later_tool_decisions=1,
        later_tool_failed=1,
    )


# --- predictors of known truth, on the shipped evaluation split ---

SOURCE = open_conversations()
EVALUATION = split_conversations(Split.EVALUATION)
EPOCHS = 12


@cache
def _strict(conversation_id: str) -> StrictMatcher:
    return StrictMatcher(SOURCE.conversation(conversation_id))


def _score(
    conversation: Conversation,
    name: str,
    matcher: Matcher,
    epoch: int = 1,
    source: ConversationSource = SOURCE,
) -> ReplayScore:
    async def play() -> ReplayScore:
        replay, predict = Replay(conversation, matcher), open_predictor(name)
        while (due := replay.due) is not None:
            place = (source, conversation, due.number, due.step, replay.tries, epoch, (), ())
            replay.take(prediction_of(await predict(Situation(*place)), conversation))
        return replay_score(replay.record())

    return asyncio.run(play())


@pytest.mark.parametrize("kind", ["", ":independent"])
@pytest.mark.parametrize("rate", [0.05, 0.1, 0.2])
def test_perturbed_reference_completes_what_its_error_rate_allows(rate: float, kind: str) -> None:
    name, tries = f"perturbed:{rate}{kind}", 3 if kind else 1
    completed, expected, variance = 0, 0.0, 0.0
    for conversation in EVALUATION:
        calls = [step for step in conversation.steps if isinstance(step, CalledTool)]
        k = sum(call.tool not in conversation.optional_tools for call in calls)
        chance = (1 - rate**tries) ** k
        for epoch in range(1, EPOCHS + 1):
            found = _score(conversation, name, _strict(conversation.id), epoch)
            completed += found.completion
            expected += chance
            variance += chance * (1 - chance)
    assert abs(completed - expected) <= 3 * sqrt(variance)


def test_reference_in_other_words_completes_what_the_ceiling_says() -> None:
    """B3: a perfect agent whose free texts are its own; the ceiling comes from the data alone."""
    found = [_score(one, "reworded", _strict(one.id)) for one in EVALUATION]
    stated = ceilings(EVALUATION, EVALUATION)
    need_tools = [one for one in found if one.tool_decisions]
    assert len(need_tools) == stated.workflows
    assert sum(one.completion for one in need_tools) == stated.completed < stated.workflows
    assert all(one.completion_any_wording for one in found)


def test_optional_calls_left_out_fail_no_workflow() -> None:
    """B2: workflows that hold gold calls of optional tools pass without them."""
    tried = 0
    for conversation in SOURCE.conversations():
        optional = conversation.optional_tools
        is_optional = [isinstance(s, CalledTool) and s.tool in optional for s in conversation.steps]
        if any(is_optional):
            tried += 1
            for matcher in (_strict(conversation.id), _world(conversation)):
                assert _without_optional(conversation, matcher).completion, conversation.id
    assert tried > 0


def _without_optional(conversation: Conversation, matcher: Matcher) -> ReplayScore:
    """Play the reference, without the calls that nobody misses."""
    replay = Replay(conversation, matcher)
    for decision in conversation.decisions:
        step = conversation.steps[decision.step]
        if isinstance(step, Said):
            replay.take(say(step.text))
        elif step.tool not in conversation.optional_tools:
            replay.take(do(step))
    return replay_score(replay.record())


def _world(conversation: Conversation) -> WorldMatcher:
    cases = SOURCE.case_source
    assert cases is not None
    case = cases.case(conversation.id)
    toolbox = Toolbox(cases.tools(case), cases.world(case), case.scenario.faults)
    return WorldMatcher(conversation, toolbox, case.skill.rules)


@pytest.mark.parametrize("name", ["reference", "silent", "most_frequent_call"])
def test_predictor_completes_all_or_nothing(name: str) -> None:
    for conversation in EVALUATION:
        found = _score(conversation, name, _strict(conversation.id))
        needs_tools = found.tool_decisions > 0
        assert found.completion == (name == "reference"), conversation.id
        if name != "reference" and needs_tools:
            assert found.tool_failed >= found.tool_decisions - 1


@pytest.mark.parametrize(
    "name", ["perturb:0.1", "perturbed:2", "perturbed:x", "perturbed:0.1:often"]
)
def test_predictor_that_is_not_known_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match="most_frequent_call"):
        open_predictor(name)
