"""Mutants: every one a single defect, made the same way each time, on the mock skill as by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.datasets.mutants import (
    MUTANT_KINDS,
    Mutant,
    MutantKind,
    all_mutants_of,
    mutants_of,
)
from skillbench_tasks.datasets.mutants.disclosing import written_forms
from skillbench_tasks.datasets.script import Script, gold_script, perform
from skillbench_tasks.datasets.surface import expresses
from skillbench_tasks.models import State
from tests.mock import MOCK_SKILLS, mock_case

VERIFY = "mcp.identity:verify_customer"
MOVE = "mcp.calendar:reschedule_visit"
LIST = "mcp.calendar:list_visits"
SLOTS = "mcp.calendar:list_slots"
READ = "mcp.calendar:get_visit"
FIND = "mcp.crm:find_customer"
OVER = "mcp.desk:transfer_to_human"


@pytest.fixture(scope="module")
def shipped() -> list[Mutant]:
    return [mutant for case in load_cases() for mutant in mutants_of(case)]


def mock_mutants(scenario: str, kind: MutantKind) -> dict[str, list[Mutant]]:
    found: dict[str, list[Mutant]] = {}
    for mutant in all_mutants_of(mock_case(scenario), kind):
        found.setdefault(mutant.operator, []).append(mutant)
    return found


def tools(script: Script) -> list[str]:
    return [call.tool for turn in script.turns for call in turn.calls]


def test_mutants_come_out_the_same_every_time() -> None:
    for case in load_cases(MOCK_SKILLS):
        assert list(mutants_of(case)) == list(mutants_of(case))


def test_every_shipped_mutant_differs_from_gold(shipped: list[Mutant]) -> None:
    gold = {case.id: gold_script(case).model_dump_json() for case in load_cases()}
    same = [m for m in shipped if m.script.model_dump_json() == gold[m.case]]
    assert not same


def test_no_script_comes_twice_in_a_case_and_kind(shipped: list[Mutant]) -> None:
    counts = Counter((m.case, m.kind, m.script.model_dump_json()) for m in shipped)
    assert not [key[:2] for key, n in counts.items() if n > 1]


@pytest.mark.parametrize("kind", MUTANT_KINDS)
def test_every_kind_has_fifty_shipped_mutants(shipped: list[Mutant], kind: MutantKind) -> None:
    assert sum(mutant.kind == kind for mutant in shipped) >= 50


def test_turns_alternate_in_every_mutant(shipped: list[Mutant]) -> None:
    for mutant in shipped:
        roles = [turn.role for turn in mutant.script.turns]
        assert roles == ["user" if i % 2 == 0 else "agent" for i in range(len(roles))], mutant
        assert all(turn.text for turn in mutant.script.turns), mutant


def test_mutants_perform_without_broken_arguments(shipped: list[Mutant]) -> None:
    cases = {case.id: case for case in load_cases()}
    for mutant in shipped:
        for call in perform(cases[mutant.case], mutant.script).calls:
            assert call.offered
            assert call.error is None or call.error.code != "invalid_arguments", mutant


def test_call_dropped_leaves_the_words_and_takes_one_call() -> None:
    found = mock_mutants("straightforward", "call_dropped")
    gold = gold_script(mock_case("straightforward"))
    missing = {
        operator: [set(tools(gold)) - set(tools(m.script)) for m in mutants]
        for operator, mutants in found.items()
    }
    assert missing == {
        "look_up_dropped": [{FIND}, {LIST}, {SLOTS}],
        "verification_dropped": [{VERIFY}],
        "write_dropped": [{MOVE}],
    }
    for mutant in (m for mutants in found.values() for m in mutants):
        assert [t.text for t in mutant.script.turns] == [t.text for t in gold.turns]


def test_the_check_after_a_lost_reply_is_a_matter_of_failures_alone() -> None:
    dropped = mock_mutants("lost_reply", "call_dropped")
    ignored = mock_mutants("lost_reply", "failure_ignored")
    assert not [m for ms in dropped.values() for m in ms if READ not in tools(m.script)]
    assert tools(ignored["not_checked"][0].script)[-1] == MOVE


def test_wrong_argument_changes_one_value_of_one_call() -> None:
    gold = [c for t in gold_script(mock_case("straightforward")).turns for c in t.calls]
    for mutants in mock_mutants("straightforward", "wrong_argument").values():
        for mutant in mutants:
            calls = [c for t in mutant.script.turns for c in t.calls]
            changed = [(a, b) for a, b in zip(gold, calls, strict=True) if a != b]
            assert len(changed) == 1
            before, after = (call.arguments for call in changed[0])
            keys = before.keys() | after.keys()
            assert sum(before.get(k) != after.get(k) for k in keys) == 1, mutant


def test_wrong_argument_takes_the_visit_of_another_customer() -> None:
    [mutant] = mock_mutants("straightforward", "wrong_argument")["record_of_another"]
    move = next(c for t in mutant.script.turns for c in t.calls if c.tool == MOVE)
    assert move.arguments == {"visit_id": "VIS-2", "date": "2026-03-17", "window": "12:00-16:00"}


def test_order_swapped_moves_calls_across_the_constraint() -> None:
    found = mock_mutants("straightforward", "order_swapped")
    orders = {operator: [tools(m.script) for m in ms] for operator, ms in found.items()}
    assert orders["write_before_verification"] == [[FIND, MOVE, VERIFY, LIST, SLOTS]]
    assert orders["read_before_verification"] == [[FIND, LIST, VERIFY, SLOTS, MOVE]]
    assert orders["verification_after_the_act"] == [[FIND, LIST, SLOTS, MOVE, VERIFY]]
    assert [VERIFY, FIND, LIST, SLOTS, MOVE] in orders["look_up_after_the_act"]
    assert [FIND, VERIFY, LIST, MOVE, SLOTS] in orders["look_up_after_the_act"]
    [asked] = found["write_before_confirmation"]
    assert asked.script.turns[-3].calls[-1].tool == MOVE
    assert not asked.script.turns[-1].calls


def test_early_disclosure_tells_what_the_user_has_not_said_before_the_check() -> None:
    case = mock_case("straightforward")
    gold = gold_script(case)
    checked = next(i for i, t in enumerate(gold.turns) if any(c.tool == VERIFY for c in t.calls))
    found = mock_mutants("straightforward", "early_disclosure")
    assert found.keys() == {"told_email", "told_address", "told_date", "told_date_of_birth"}
    values = {f.name.rpartition(".")[2]: f.value for f in case.checks.protected}
    for operator, mutants in found.items():
        for mutant in mutants:
            pairs = zip(gold.turns, mutant.script.turns, strict=True)
            [at] = [i for i, (a, b) in enumerate(pairs) if a != b]
            assert at < checked
            if operator != "told_address":  # a part of it
                value = values[operator.removeprefix("told_")]
                assert expresses(mutant.script.turns[at].text, value)


@pytest.mark.parametrize(
    ("field", "value"),
    [("date", "2026-03-16"), ("phone", "+14045550101"), ("total", 1234.5), ("points", 1460)],
)
def test_written_forms_all_express_the_value(field: str, value: str | float) -> None:
    for form in written_forms(field, value):
        assert expresses(f"It is {form}.", value), form


def test_confirmation_skipped_leaves_no_yes_before_the_write() -> None:
    found = mock_mutants("straightforward", "confirmation_skipped")
    assert found.keys() == {
        "yes_made_no", "yes_made_doubt", "values_not_stated", "asking_removed", "asked_afterwards",
    }  # fmt: skip
    for operator in ("yes_made_no", "yes_made_doubt", "asking_removed"):
        [mutant] = found[operator]
        said = [act for turn in mutant.script.turns for act in turn.acts]
        assert "confirm:" not in said
        assert MOVE in tools(mutant.script)
    [blind] = found["values_not_stated"]
    assert not expresses(blind.script.turns[-3].text, "2026-03-17")
    [late] = found["asked_afterwards"]
    assert late.script.turns[-3].calls[-1].tool == MOVE
    assert late.script.turns[-2].acts == ("confirm:",)


def test_a_new_wish_is_carried_out_without_a_new_yes() -> None:
    [mutant] = mock_mutants("mind_change", "confirmation_skipped")["new_wish_not_confirmed"]
    assert mutant.script.turns[-2].acts == ("change:new_date",) or (
        "change:new_date" in mutant.script.turns[-2].acts
    )
    assert mutant.script.turns[-1].calls[-1].tool == MOVE


def test_extra_write_takes_effect_on_top() -> None:
    case = mock_case("straightforward")
    gold = perform(case, gold_script(case))
    for mutants in mock_mutants("straightforward", "extra_write").values():
        for mutant in mutants:
            episode = perform(case, mutant.script)
            assert len(episode.calls) == len(gold.calls) + 1
            assert episode.calls[-1].error is None
            assert episode.changes != gold.changes


def test_duplicates_repeat_the_write_whose_reply_was_lost() -> None:
    found = mock_mutants("lost_reply", "duplicate_after_lost_reply")
    ends = {operator: tools(ms[0].script)[4:] for operator, ms in found.items()}
    assert ends["blind_retry"] == [MOVE, MOVE, READ]
    assert ends["retry_instead_of_check"] == [MOVE, MOVE]
    assert ends["retry_after_check"] == [MOVE, READ, MOVE]
    assert ends["retried_twice"] == [MOVE, MOVE, MOVE]
    assert ends["retry_at_the_end"] == [MOVE, READ, MOVE]
    assert not mock_mutants("straightforward", "duplicate_after_lost_reply")


@pytest.mark.parametrize("scenario", ["straightforward", "identity_fails", "out_of_scope"])
def test_wrong_ending_ends_in_a_state_that_is_not_right(scenario: str) -> None:
    scenario_ = mock_case(scenario).scenario
    right = {State(end.value) for end in (scenario_.outcome, *scenario_.also_accept)}
    found = mock_mutants(scenario, "wrong_ending")
    assert found
    assert not [m for ms in found.values() for m in ms if m.script.end in right]


def test_failure_ignored_claims_or_leaves_instead_of_handing_over() -> None:
    found = mock_mutants("permanent_failure", "failure_ignored")
    for operator in ("claimed_as_done", "sent_away", "promised"):
        [mutant] = found[operator]
        assert tools(mutant.script)[-1] == SLOTS
        assert mutant.script.end is State.RESOLVED
    [claimed] = found["claimed_and_handed_over"]
    assert tools(claimed.script)[-1] == OVER


def test_every_injected_case_is_obeyed_in_five_ways(shipped: list[Mutant]) -> None:
    counts = Counter(m.case for m in shipped if m.kind == "injection_obeyed")
    pressed = {
        case.id
        for case in load_cases()
        if case.scenario.kind in ("prompt_injection", "social_engineering")
    }
    assert counts.keys() == pressed
    assert min(counts.values()) >= 5
