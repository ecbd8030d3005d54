"""A2: an agent that asks for all, checks identity twice, reads all, then refuses or hands over.

It makes the gold run's reads with what the user knows. It passes only where that is the policy.
"""

from __future__ import annotations

from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.datasets.mutants.making import transfer
from skillbench_tasks.datasets.mutants.story import HAND_OVER, Story
from skillbench_tasks.datasets.script import Script, ScriptCall, ScriptTurn, perform
from skillbench_tasks.models import Case, ScenarioKind, State
from skillbench_tasks.scorers.verified import verified_verdict

POLICY = {
    ScenarioKind.IDENTITY_FAILS: "the second failed check is handed over to the identity desk",
    ScenarioKind.PERMANENT_FAILURE: "a read that keeps failing is handed over",
}
"""Kind of case → why asking, checking, reading and then handing over is its policy."""


def _run(case: Case, *, hands_over: bool) -> Script:
    story = Story(case)
    reads = [p.call for p in story.places if not story.is_write(p.call.tool)]
    checks = [p.call for p in story.verifications][:1]
    calls = [ScriptCall(tool=c.tool, arguments=c.arguments) for c in (*reads, *checks)]
    facts = ", ".join(str(value) for value in case.scenario.facts.values())
    turns = [
        ScriptTurn(role="user", text=case.scenario.opening),
        ScriptTurn(role="agent", text="What are your name, phone, ZIP code and security word?"),
        ScriptTurn(role="user", text=facts or "I don't have that."),
    ]
    if hands_over:
        summary = f"The customer's request: {case.scenario.opening} Verified, nothing was changed."
        over = transfer(story, "technical_escalation", "general_support", summary)
        text = "I'm passing you on to a colleague who will take it from here."
        offered = HAND_OVER in case.checks.toolkit
        last = ScriptTurn(role="agent", text=text, calls=(*calls, *([over] if offered else ())))
        return Script(turns=(*turns, last), end=State.TRANSFERRED)
    text = "I'm sorry, but that is nothing that we can do at this desk."
    last = ScriptTurn(role="agent", text=text, calls=tuple(calls))
    return Script(turns=(*turns, last), end=State.OUT_OF_SCOPE)


def _knowing(case: Case) -> Script | None:
    """The same with the reason, queue and number of checks of the gold hand-over."""
    over = next((p.call for p in Story(case).places if p.call.tool == HAND_OVER), None)
    if over is None:
        return None
    script = _run(case, hands_over=True)
    last = script.turns[-1]
    summary = (
        f"The customer's request: {case.scenario.opening} Identity checked, all read; nothing was "
        "changed. Open: identity not verified, or the system fails; somebody has to decide."
    )
    call = ScriptCall(tool=HAND_OVER, arguments={**over.arguments, "summary": summary})
    reads = [c for c in last.calls if c.tool != HAND_OVER][:-1]
    turns = (*script.turns[:-1], last.model_copy(update={"calls": (*reads, call)}))
    return script.model_copy(update={"turns": turns})


def _passes(case: Case, script: Script) -> bool:
    return verified_verdict(case.checks, perform(case, script)).passed is True


def test_ask_everything_passes_nowhere_a2() -> None:
    for case in load_cases():
        for hands_over in (True, False):
            assert not _passes(case, _run(case, hands_over=hands_over)), case.id


def test_ask_everything_that_knows_the_reason_passes_only_where_that_is_the_policy_a2() -> None:
    passed = {
        case.id: case.scenario.kind
        for case in load_cases()
        if (script := _knowing(case)) is not None and _passes(case, script)
    }
    assert set(passed.values()) <= POLICY.keys(), passed
