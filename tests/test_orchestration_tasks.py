"""The protocols of orchestration end to end, over a scripted model; scores by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai import score as inspect_score
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.event import ModelEvent

import skillbench_tasks._registry as registry
from skillbench_tasks.global_orchestration import global_orchestration
from skillbench_tasks.local_construction import local_construction
from skillbench_tasks.replan import replan
from skillbench_tasks.scorers.orchestration import orchestration
from skillbench_tasks.scorers.orchestration_cost import Cost
from skillbench_tasks.scorers.trace import Metric
from skillbench_tasks.step_by_step import step_by_step
from tests.orchestration_plays import (
    GUARDED,
    PLAIN,
    Made,
    answer,
    calls,
    changed,
    labels,
    model_inputs,
    nodes_of,
    plan,
    play,
    rows,
    run,
    samples,
    scores,
    script,
    whole,
)
from tests.scripted_model import PLAYS

EMPTY = json.dumps({**plan(), "steps": []})
WRONG = changed('"Payment reminder"', '"Reminder"')
"""The subject of every reminder is wrong: invoices are reminded in the variants 2, 4 and 5."""

UNKNOWN_INPUT = json.dumps({**plan(), "inputs": {"customer": {"type": "string"}}, "steps": []})

ANSWERS = {
    "plain": (answer(whole()), None),
    "fenced": (answer(f"<think>{{\"steps\": []}}</think>Here:\n```json\n{whole()}\n```\nDone."), None),
    "last counts": (answer(f"First: {EMPTY}\nBetter: {whole()}\nas in {{\"a\": 1}}"), None),
    "empty plan": (answer(EMPTY), None),
    "one wrong": (answer(WRONG), None),
    "cut off": (answer(whole()[:-40], "max_tokens"), "response_parsing"),
    "cut off behind an object": (answer('{"a": 1} ' + whole()[:-40], "max_tokens"), "response_parsing"),
    "refused": (answer("I cannot.", "content_filter"), "model"),
    "nothing": (answer(""), "response_parsing"),
    "prose": (answer("I would look the invoices up."), "response_parsing"),
    "unreadable": (answer(whole().replace("[", "[,", 1)), "response_parsing"),
    "shape": (answer(changed('"kind": "set"', '"kind": "put"')), "parse_shape"),
    "schema": (answer(changed("find_invoices", "find_bills")), "schema_type"),
    "reference": (answer(changed("${find.", "${found.")), "reference"),
    "unknown input": (answer(UNKNOWN_INPUT), "reference"),
}  # fmt: skip
"""Answers with the class of the error."""

VALID_MEANS = {
    "plain": 1.0,
    "fenced": 1.0,
    "last counts": 1.0,
    "empty plan": 0.1,
    "one wrong": 0.64,
}
"""Orchestration by hand: an empty plan is right about effects in variant 1 (5 variants, half of 1);
a wrong subject fails arguments and side effect in three of five: (1 + 0.4 + 1 + 0.4 + 0.4) / 5."""


def test_answers_are_read_and_graded_by_hand(tmp_path: Path) -> None:
    model = play("answers", {label: [given] for label, (given, _) in ANSWERS.items()})
    log = run(global_orchestration(sop=PLAIN), model, tmp_path, epochs=len(ANSWERS))
    for label, sample in labels(log):
        kind = ANSWERS[label][1]
        assert {one["error"] for one in scores(sample)} == {kind}, label
        mean = sum(one["values"]["orchestration"] for one in scores(sample)) / 5
        assert mean == pytest.approx(VALID_MEANS.get(label, 0.0)), label
    found, count = rows(log), len(ANSWERS)
    assert found["variants"] == 5 * count
    errors = {name: value for name, value in found.items() if name.startswith("errors ")}
    kinds = [kind for _, kind in ANSWERS.values() if kind]
    assert errors == {f"errors {kind}": 5.0 * kinds.count(kind) for kind in kinds}
    assert found["validity"] == pytest.approx(5 / count)
    assert found["error rate"] == pytest.approx(1 - 5 / count)
    assert found["orchestration given validity"] == pytest.approx(sum(VALID_MEANS.values()) / 5)
    for name in ("orchestration", "final", "trace", "side_effect", "terminal_output"):
        assert found[name] == pytest.approx(found["validity"] * found[f"{name} given validity"])
    assert found["floor orchestration"] == pytest.approx(0.1)
    above = sum(max(mean - 0.1, 0) for mean in VALID_MEANS.values()) / count
    assert found["orchestration above floor"] == pytest.approx(above)
    # C11: the difference as it is beside it; an invalid plan is below what doing nothing earns
    minus = sum(VALID_MEANS.values()) / count - 0.1
    assert found["orchestration minus floor"] == pytest.approx(minus)
    assert minus < above
    assert found["floor orchestration given validity"] == pytest.approx(0.1)
    assert {f"floor {one}" for one in Metric} <= found.keys()
    assert found["error rate without infrastructure"] == found["error rate"]
    assert found["orchestration without infrastructure"] == found["orchestration"]
    # valid plans 3 × (1, 1), 0.1 and 0.64: final is (3 + 0 + 0.4) / 15
    assert found["final"] == pytest.approx(3.4 / count)
    assert (found["model calls"], found["completion tokens"]) == (count, 7.0 * count)


def test_rows_are_means_over_variants_not_samples(tmp_path: Path) -> None:
    PLAYS["by-sop"] = lambda messages, tools: answer(
        whole(GUARDED) if "failed reminder note" in messages[-1].text else WRONG
    )
    task = global_orchestration(sop=[PLAIN, GUARDED])
    log = run(task, "scripted/by-sop", tmp_path / "one", max_samples=1, epochs=2)
    found = rows(log)
    assert found["orchestration"] == pytest.approx((5 * 0.64 + 6) / 11)
    assert found["final"] == pytest.approx((2 + 6) / 11)
    assert found["variants"] == 22
    assert {
        name: value for name, value in found.items() if "model" in name or "tokens" in name
    } == {
        "model calls": 4.0,
        "completion tokens": 28.0,
        "model calls per variant": pytest.approx(4 / 22),
        "completion tokens per variant": pytest.approx(28 / 22),
        "completion tokens per call": 7.0,
    }
    again = run(task, "scripted/by-sop", tmp_path / "two", max_samples=4, epochs=2)
    assert rows(again) == found
    regraded = inspect_score(log, [orchestration()], action="overwrite", display="none")
    assert rows(regraded) == found
    assert [scores(one) for one in samples(regraded)] == [scores(one) for one in samples(log)]


FIND = ("finance__find_invoices", {"account_id": "ACC-403", "status": "overdue"})
REMIND = (
    "mail__send_mail",
    {
        "to": ["pay22@copperline.example.org"],
        "subject": "Payment reminder",
        "body": "Invoice INV-822 over 2200 USD was due on 2026-02-20. Please pay it.",
    },
)
LEVEL = ("finance__update_invoice", {"invoice_id": "INV-822", "reminder_level": 2})
FINISH = ("finish", {"output": {"reminders_sent": 1}})
BY_ONE = [calls(FIND), calls(REMIND), calls(LEVEL), calls(FINISH)]
TOLERATED = [
    calls(FIND, REMIND), answer("Now the mail."), calls(REMIND), calls(LEVEL, FINISH),
    calls(("finish", "cut")), calls(FINISH),
]  # fmt: skip
"""What a second call in a message and unreadable arguments of `finish` do not do costs nothing."""

STEPS = {
    # label: (answers, orchestration, terminal output, error)
    "tolerated": (TOLERATED, 1.0, 1.0, None),
    "unknown tool": ([calls(("mail__sent", {})), *BY_ONE], 0.7, 1.0, None),
    "unreadable": ([calls(FIND), calls((REMIND[0], "cut")), *BY_ONE[1:]], 0.6, 1.0, None),
    "wrong output": ([*BY_ONE[:3], calls(("finish", {"output": {"reminders_sent": 7}}))], 1.0, 0.0, None),
    "output that does not fit": ([*BY_ONE[:3], calls(("finish", {"output": 1})), calls(FINISH)], 1.0, 1.0, None),
    "never a call": ([answer("Done."), answer("Really.")], 0.0, 0.0, None),
    "refused": ([answer("No.", "content_filter")], 0.0, 0.0, "model"),
    "refused later": ([calls(FIND), answer("No.", "content_filter")], 0.1, 0.0, None),
    "stop at once": ([calls(("finish", {"output": {"reminders_sent": 0}}))], 0.0, 0.0, None),
    "no end": ([calls(FIND)], 0.1, 0.0, None),
}  # fmt: skip
"""By hand. Unknown tool: selection, order and execution fail, (2/5 + 1) / 2. Unreadable: the mail counts
twice, in a loop, so that the control path fails too: (1/5 + 1) / 2. Find alone: its arguments are right."""


def test_steps_are_taken_and_graded_by_hand(tmp_path: Path) -> None:
    model = play("steps", {label: answers for label, (answers, *_) in STEPS.items()})
    task = step_by_step(sop=PLAIN, steps=6)
    log = run(task, model, tmp_path, epochs=len(STEPS), sample_id=f"{PLAIN}#2")
    asked = 0
    for label, sample in labels(log):
        _, trace_and_effect, output, error = STEPS[label]
        (one,) = scores(sample)
        assert one["error"] == error, label
        assert one["values"]["orchestration"] == pytest.approx(trace_and_effect), label
        assert one["values"]["terminal_output"] == output, label
        asked += sum(message.role == "assistant" for message in sample.messages)
    found = rows(log)
    assert found["variants"] == len(STEPS)
    assert found["errors model"] == 1
    assert (found["model calls"], found["completion tokens"]) == (asked, 7.0 * asked)
    tools = next(e for e in samples(log)[0].events if isinstance(e, ModelEvent)).tools
    assert len(tools) == 65
    assert tools[-1].parameters.required == ["output"]


def test_refused_calls_are_counted_and_left_out_of_a_score_beside(tmp_path: Path) -> None:
    """C7: what was refused did nothing; a wrong deed costs with it and without it."""
    misfit = (FIND[0], {"account": "ACC-403"})
    other = (LEVEL[0], {"invoice_id": "INV-822", "reminder_level": 1})
    failing = (LEVEL[0], {"invoice_id": "INV-000", "reminder_level": 2})
    played = {
        # label: (answers, orchestration, refused, without them)
        "right": (BY_ONE, 1.0, 0, 1.0),
        "unknown tool": ([calls(("mail__sent", {})), *BY_ONE], 0.7, 1, 1.0),
        "misfit": ([calls(misfit), *BY_ONE], 0.7, 1, 1.0),
        "unreadable": ([calls((FIND[0], "cut")), *BY_ONE], 0.7, 1, 1.0),
        "wrong deed": ([*BY_ONE[:2], calls(other), calls(FINISH)], 0.5, 0, 0.5),
        "failed": ([*BY_ONE[:2], calls(failing), *BY_ONE[2:]], 0.6, 0, 0.6),
        "both": ([calls(misfit), *BY_ONE[:2], calls(other), calls(FINISH)], 0.2, 1, 0.5),
    }
    model = play("refusals", {label: answers for label, (answers, *_) in played.items()})
    task = step_by_step(sop=PLAIN)
    log = run(task, model, tmp_path, epochs=len(played), sample_id=f"{PLAIN}#2")
    for label, sample in labels(log):
        _, with_them, refused, without = played[label]
        (one,) = scores(sample)
        assert one["values"]["orchestration"] == pytest.approx(with_them), label
        assert (one["refused_calls"], one["without_refused"]) == (
            refused,
            pytest.approx(without),
        ), label
    found = rows(log)
    assert found["refused calls"] == 4
    mean = sum(without for *_, without in played.values()) / len(played)
    assert found["orchestration without refused calls"] == pytest.approx(mean)


NODES = nodes_of(plan()["steps"])
DONE: Made = ("finish", {})
REFUSED: list[tuple[Made, str]] = [
    # what is proposed, and words of the reason
    (("add_node", {"block": "steps", "node": {"kind": "call", "tool": "mcp.mail:sent"}}), "send_mail"),
    (("add_node", {"block": "steps", "node": {"kind": "try", "do": [{}], "catch": []}}), "`do`"),
    (("add_node", {"block": "steps[7].then", "node": {"kind": "return"}}), "steps[7].then"),
    (("add_node", {"block": "steps", "node": "return"}), "no JSON object"),
    (("add_node", {"node": {"kind": "return"}}), "no block `null`"),
    (("add_node", "cut"), "cannot be read"),
    (("finance__find_invoices", {}), "add_node or finish"),
]  # fmt: skip
BUILDS = {
    # label: (answers, orchestration, error)
    "one by one": ([*(calls(one) for one in NODES), calls(DONE)], 1.0, None),
    "all at once": ([calls(*NODES, DONE)], 1.0, None),
    "refused, then right": ([calls(*(one for one, _ in REFUSED)), calls(*NODES), calls(DONE)], 1.0, None),
    "finish at once": ([calls(DONE)], 0.1, None),
    "added after finish": ([calls(DONE, *NODES)], 0.1, None),
    "never finished": ([calls(*NODES), answer("Done."), answer("Really.")], 1.0, None),
    "steps used up": ([calls(*(one for one, _ in REFUSED))], 0.0, "planning"),
    "refused by the model": ([answer("No.", "content_filter")], 0.0, "model"),
}  # fmt: skip


def test_workflow_is_built_node_by_node(tmp_path: Path) -> None:
    model = play("builds", {label: answers for label, (answers, *_) in BUILDS.items()})
    task = local_construction(sop=PLAIN, steps=len(NODES) + 1)
    log = run(task, model, tmp_path, epochs=len(BUILDS))
    for label, sample in labels(log):
        _, mean, error = BUILDS[label]
        told = scores(sample)
        assert {one["error"] for one in told} == {error}, label
        assert sum(one["values"]["orchestration"] for one in told) / 5 == pytest.approx(mean), label
        replies = [json.loads(m.text) for m in sample.messages if m.role == "tool"]
        if label == "refused, then right":
            for reply, (_, words) in zip(replies, REFUSED, strict=False):
                assert words in reply["refused"][0]
        if label == "one by one":
            places = [reply["added"] for reply in replies[:-1]]
            assert places[:2] == ["steps[0]", "steps[1]"]
            assert replies[-2]["draft"][0]["kind"] == "set"
    assert rows(log)["errors planning"] == 5
    assert "ACC-403" not in model_inputs(log)  # neither inputs nor records


def test_input_conditioned_shows_the_inputs_of_one_run(tmp_path: Path) -> None:
    task = global_orchestration(sop=PLAIN, input_conditioned=True)
    log = run(task, script("given", answer(WRONG)), tmp_path, limit=3)
    assert [one.id for one in samples(log)] == [f"{PLAIN}#{number}" for number in (1, 2, 3)]
    assert [len(scores(one)) for one in samples(log)] == [1, 1, 1]
    assert rows(log)["orchestration"] == pytest.approx(2.4 / 3)
    sent = samples(log)[0].messages
    assert '{"account_id": "ACC-403"}' in sent[1].text
    assert "many times" not in sent[0].text
    assert "INV-8" not in sent[1].text


@pytest.mark.parametrize(
    ("limit", "made"),
    [
        pytest.param({"message_limit": 6}, 2, id="messages"),
        pytest.param({"token_limit": 250}, 2, id="tokens"),
    ],
)
def test_limit_keeps_the_steps_that_were_taken(
    tmp_path: Path, limit: dict[str, Any], made: int
) -> None:
    log = run(
        step_by_step(sop=PLAIN),
        script("limited", *BY_ONE),
        tmp_path,
        sample_id=f"{PLAIN}#2",
        **limit,
    )
    (one,) = scores(samples(log)[0])
    assert samples(log)[0].limit is not None
    assert one["error"] is None
    assert one["first_fault"].startswith("selection: mcp.finance:update_invoice is called 0 times")
    assert sum(message.role == "tool" for message in samples(log)[0].messages) == made


def test_time_limit_keeps_the_steps_that_were_taken(tmp_path: Path) -> None:
    async def slow(messages: Any, tools: Any) -> Any:
        if len(messages) > 4:
            await anyio.sleep(60)
        return BY_ONE[sum(message.role == "assistant" for message in messages)]

    PLAYS["slow"] = slow
    sample = f"{PLAIN}#2"
    log = run(step_by_step(sop=PLAIN), "scripted/slow", tmp_path, sample_id=sample, time_limit=1)
    (one,) = scores(samples(log)[0])
    assert one["error"] is None
    assert one["values"]["orchestration"] == pytest.approx(0.1)  # the arguments of the first call


def test_limit_before_there_is_a_plan_counts_as_the_model_s(tmp_path: Path) -> None:
    model = script("long", answer(whole()))
    log = run(global_orchestration(sop=PLAIN), model, tmp_path, token_limit=50)
    found = rows(log)
    assert (found["errors model"], found["error rate"], found["completion tokens"]) == (5, 1, 7)


def test_fault_of_a_provider_gives_no_score(tmp_path: Path) -> None:
    def broken(messages: Any, tools: Any) -> Any:
        if "failed reminder note" in messages[-1].text:
            return answer(whole(GUARDED))
        raise ConnectionError("no route")

    PLAYS["broken"] = broken
    task = global_orchestration(sop=[PLAIN, GUARDED])
    log = run(task, "scripted/broken", tmp_path, fail_on_error=False)
    assert log.results is not None
    assert (log.results.total_samples, log.results.completed_samples) == (2, 1)
    assert (rows(log)["variants"], rows(log)["orchestration"]) == (6, 1)
    assert rows(inspect_score(log, [orchestration()], action="overwrite", display="none")) == rows(
        log
    )


def test_structured_output_asks_with_a_schema(tmp_path: Path) -> None:
    log = run(
        global_orchestration(sop=PLAIN, structured=True),
        script("shaped", answer(whole())),
        tmp_path,
    )
    (event,) = [one for one in samples(log)[0].events if isinstance(one, ModelEvent)]
    assert event.config.response_schema is not None
    assert rows(log)["orchestration"] == 1


def test_steps_without_a_model_ask_none(tmp_path: Path) -> None:
    log = run(step_by_step(sop=PLAIN, stepper="reference"), "none", tmp_path)
    found = rows(log)
    assert (found["variants"], found["orchestration"], found["final"]) == (5, 1, 1)
    assert found["model calls"] == 0
    assert "completion tokens per call" not in found


def test_cost_ratio_is_per_variant() -> None:
    step = Cost(variants=5, calls=20, completion_tokens=300)
    plans = Cost(variants=10, calls=2, completion_tokens=400)
    assert dict(step.ratios(plans)) == {
        "model calls per variant": pytest.approx(20.0),  # 4 : 0.2
        "completion tokens per variant": pytest.approx(1.5),  # 60 : 40
    }
    assert dict(step.ratios(Cost(variants=5))) == {}
    assert Cost.added([step, plans]) == Cost(variants=15, calls=22, completion_tokens=700)


@pytest.mark.parametrize(
    ("task", "options", "told"),
    [
        pytest.param(global_orchestration, {"planer": "x"}, "no such option", id="unknown"),
        pytest.param(global_orchestration, {"planner": "best"}, "-T planner", id="planner"),
        pytest.param(global_orchestration, {"sop": "chase.1"}, "no such sop", id="sop"),
        pytest.param(global_orchestration, {"family": "chase"}, "no such family", id="family"),
        pytest.param(step_by_step, {"steps": 0}, "-T steps", id="steps"),
        pytest.param(step_by_step, {"stepper": "empty"}, "-T stepper", id="stepper"),
        pytest.param(local_construction, {"steps": "many"}, "-T steps", id="local-steps"),
        pytest.param(replan, {"rounds": 0}, "-T rounds", id="rounds"),
        pytest.param(replan, {"feedback": "three"}, "-T feedback", id="feedback"),
        pytest.param(replan, {"seed": -1}, "-T seed", id="seed"),
    ],
)
def test_bad_option_is_one_line(task: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises(PrerequisiteError, match=told) as caught:
        task(**options)
    assert "\n" not in str(caught.value)


def test_protocols_are_registered() -> None:
    for name in (
        "global_orchestration", "step_by_step", "local_construction", "replan",
        "global_plan", "step_by_step_loop", "local_editor", "replan_rounds",
        "orchestration", "orchestration_rows",
    ):  # fmt: skip
        assert name in registry.__all__


def test_stepper_that_stops_at_once_earns_the_floor(tmp_path: Path) -> None:
    task = step_by_step(sop=PLAIN, stepper="stop_at_once")
    found = rows(run(task, "none/none", tmp_path))
    assert found["orchestration"] == found["floor orchestration"] == pytest.approx(0.1)
    assert found["error rate"] == found["model calls"] == 0
