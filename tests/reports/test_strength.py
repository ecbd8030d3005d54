"""Row C4: every single mutation of a reference changes a verdict, or is equivalent by name."""

from __future__ import annotations

import json
import random

import pytest

from skillbench_tasks.datasets.sops.drafts import VariantDraft
from skillbench_tasks.datasets.sops.further import FurtherVariant, with_changes
from skillbench_tasks.datasets.sops.loading import load_sops, sop_by_id
from skillbench_tasks.datasets.sops.mutations import MUTATION_KINDS, mutations_of
from skillbench_tasks.datasets.sops.references import reference_case
from skillbench_tasks.datasets.sops.running import parsed, signatures, start_world
from skillbench_tasks.errors import DataError
from skillbench_tasks.reports.lookup import lookup_plan, lookup_scores
from skillbench_tasks.reports.strength import (
    KILLED_SHARE_MIN,
    Strength,
    Survivor,
    killer_of,
    named_equivalents,
    strength,
    strength_page,
)
from skillbench_tasks.reports.strengthening import VARIANTS_MAX, proposed
from skillbench_tasks.tools.workflow import validate

SAMPLED_SOPS = 6
SAMPLED_MUTATIONS = 20


def test_sampled_mutations_change_a_verdict_or_are_equivalent_by_name() -> None:
    """C4, drawn with a fixed seed: none of them survives without a reason."""
    sops = random.Random(4).sample(load_sops(), SAMPLED_SOPS)
    found = strength(sops, sample=SAMPLED_MUTATIONS)
    made, killed, _, surviving = found.counts()
    assert made > SAMPLED_SOPS * SAMPLED_MUTATIONS / 2
    assert killed > 0
    assert not surviving, strength_page(found)


@pytest.mark.slow
def test_all_mutations_change_a_verdict_or_are_equivalent_by_name() -> None:
    """C4: 99 % in all and of each kind; every named equivalent is a mutation that survives."""
    found = strength()
    assert found.holds, strength_page(found)
    for kind in MUTATION_KINDS:
        made, killed, equivalent, _ = found.counts(kind)
        assert made > 0
        assert killed >= KILLED_SHARE_MIN * (made - equivalent), kind


def test_named_equivalents_are_said_once_with_a_reason() -> None:
    known = {sop.id for sop in load_sops()}
    for name, reason in named_equivalents().items():
        assert name.partition(" ")[0] in known
        assert len(reason.split()) > 5


@pytest.mark.parametrize("sop_id", ["stale-issue-sweep.1", "incident-escalation.2"])
def test_mutations_are_valid_unlike_the_reference_and_have_names_of_their_own(sop_id: str) -> None:
    sop = sop_by_id(sop_id)
    made = mutations_of(sop)
    own = json.dumps(sop.program, sort_keys=True)
    assert len({one.id for one in made}) == len(made)
    for one in made:
        assert not validate(one.program, signatures(), dialogue=False), one.id
        assert json.dumps(one.program, sort_keys=True) != own, one.id
    assert made == mutations_of(sop)


def test_mutations_of_a_sweep_are_of_every_kind_that_it_has_places_for() -> None:
    made = {one.kind for one in mutations_of(sop_by_id("stale-issue-sweep.1"))}
    assert made == set(MUTATION_KINDS) - {"operand_dropped", "catch_dropped"}


def test_mutation_that_deletes_a_declared_default_is_equivalent_without_a_name() -> None:
    found = [one for sop in load_sops()[:12] for one in mutations_of(sop) if one.equivalent]
    defaults = [one for one in found if one.kind == "argument_deleted"]
    assert all("default" in one.equivalent for one in defaults)
    clocks = [one for one in found if one.kind == "constant_for_reference"]
    assert clocks
    assert all("context." in one.id for one in clocks)


def test_killer_of_a_negated_condition_is_a_variant_and_of_the_reference_none() -> None:
    sop = sop_by_id("stale-issue-sweep.2")
    runs, program = reference_case(sop).runs, parsed(sop.program)
    negated = next(one for one in mutations_of(sop) if one.kind == "condition_negated")
    assert killer_of(negated, runs, program) in runs
    assert killer_of(negated._replace(program=dict(sop.program)), runs, program) is None


def test_named_equivalent_that_is_killed_breaks_the_gate() -> None:
    counts = dict.fromkeys(MUTATION_KINDS, 10)
    alive = Survivor(kind="call_deleted", id="a", reason="no run can tell")
    assert Strength(mutations=counts, survivors=(alive,)).holds
    assert not Strength(mutations=counts, survivors=(alive,), obsolete=("b",)).holds
    weak = tuple(Survivor(kind="call_deleted", id=str(n)) for n in range(2))
    assert not Strength(mutations=counts, survivors=weak).holds


def test_ids_that_two_variants_of_a_sop_make_differ() -> None:
    """C4, constant in place of a reference: a made id cannot be known beforehand."""
    for sop in load_sops():
        firsts = [start_world(one).next_id("tracker_issues") for one in sop.variants]
        assert len(set(firsts)) > 1, sop.id


def test_variants_of_a_sop_are_no_more_than_agreed() -> None:
    assert max(len(sop.variants) for sop in load_sops()) <= VARIANTS_MAX


DRAFTS = (
    VariantDraft(
        {"issue_id": "ISS-1"},
        {"tracker_issues": ({"issue_id": "ISS-1", "status": "open", "labels": ["docs"]},)},
    ),
)


@pytest.mark.parametrize(
    ("further", "inputs", "issues"),
    [
        pytest.param(
            FurtherVariant(like=1, rename={"ISS-1": "ISS-7"}),
            {"issue_id": "ISS-7"},
            [{"issue_id": "ISS-7", "status": "open", "labels": ["docs"]}],
            id="rename",
        ),
        pytest.param(
            FurtherVariant(like=1, change={"tracker_issues": {"ISS-1": {"status": "done"}}}),
            {"issue_id": "ISS-1"},
            [{"issue_id": "ISS-1", "status": "done", "labels": ["docs"]}],
            id="change",
        ),
        pytest.param(
            FurtherVariant(
                like=1,
                drop={"tracker_issues": ("ISS-1",)},
                add={"tracker_issues": ({"issue_id": "ISS-2", "status": "open"},)},
            ),
            {"issue_id": "ISS-1"},
            [{"issue_id": "ISS-2", "status": "open"}],
            id="drop_and_add",
        ),
        pytest.param(
            FurtherVariant(
                like=1,
                add={"tracker_issues": ({"like": "ISS-1", "issue_id": "ISS-2"},)},
            ),
            {"issue_id": "ISS-1"},
            [
                {"issue_id": "ISS-1", "status": "open", "labels": ["docs"]},
                {"issue_id": "ISS-2", "status": "open", "labels": ["docs"]},
            ],
            id="add_like_another",
        ),
    ],
)
def test_further_variant_differs_in_what_it_says(
    further: FurtherVariant, inputs: dict[str, str], issues: list[dict[str, object]]
) -> None:
    made = with_changes(DRAFTS, further)
    assert made.inputs == inputs
    assert list(made.records["tracker_issues"]) == issues


@pytest.mark.parametrize(
    "further",
    [
        FurtherVariant(like=2),
        FurtherVariant(like=1, change={"tracker_issues": {"ISS-404": {"status": "done"}}}),
        FurtherVariant(like=1, change={"no_such": {"ISS-1": {"status": "done"}}}),
    ],
    ids=["variant", "record", "collection"],
)
def test_further_variant_of_something_that_is_not_there_is_refused(further: FurtherVariant) -> None:
    with pytest.raises(DataError, match=r"no such|no variant"):
        with_changes(DRAFTS, further)


def test_proposals_for_a_weak_sop_kill_what_they_say() -> None:
    """A SOP with its family's variants alone gets one that tells a constant from an input."""
    sop = sop_by_id("document-archiving.2")
    drafts = len(sop.variants) - 1
    weak = sop.model_copy(update={"variants": sop.variants[:drafts]})
    (found,) = proposed(weak)
    further, killed = found
    assert killed == (
        'document-archiving.2 constant_for_reference found.modified_before: "2025-03-16" '
        "for inputs.cutoff_on",
    )
    assert further.inputs.keys() == {"cutoff_on"}
    assert not list(proposed(sop))


def test_lookup_over_inputs_is_right_on_what_it_saw_and_near_the_floor_on_what_it_did_not() -> None:
    """C4: memorised outcomes earn nothing on held-out variants."""
    found = lookup_scores(random.Random(7).sample(load_sops(), 20))
    assert found.seen > 0.85
    assert found.held_out - found.held_out_floor < 0.1


@pytest.mark.slow
def test_lookup_over_inputs_of_all_sops_is_near_the_floor_on_held_out_variants() -> None:
    """C4: also where inputs that were not seen play back a run that was."""
    assert lookup_scores().held_out - lookup_scores().held_out_floor < 0.05
    assert lookup_scores(guesses=True).held_out - lookup_scores().held_out_floor < 0.12


def test_lookup_plan_of_one_run_is_valid_and_perfect_on_it() -> None:
    sop = sop_by_id("refund-reconciliation.2")
    plan = lookup_plan(sop, reference_case(sop).runs)
    assert not validate(plan, signatures(), dialogue=False)
