"""Aggregation over variants, gaps, revisions and strata."""

from __future__ import annotations

from typing import Any

import pytest

from skillbench_tasks.models import Fault
from skillbench_tasks.models.sop import Variant
from skillbench_tasks.scorers.orchestration_totals import (
    Attempt,
    Totals,
    VariantKey,
    gap,
    gap_above_floor,
    mean_delta,
    recovery,
    revision,
    shrunk_by,
)
from skillbench_tasks.scorers.statistic import Interval, Undefined
from skillbench_tasks.scorers.trace import METRICS, Metric, TraceScore, VariantScore
from skillbench_tasks.scorers.workflow_strata import strata
from skillbench_tasks.tools.error_class import ErrorClass, SourceClass
from tests.tiny_sops import DUNNING, GATE, OPEN, POST, RETRY, call, parsed

NONE = Undefined(reason="no scores")
NO_GAIN = Undefined(reason="no gain")


def _score(
    bits: str, side_effect: bool, output: bool, error: ErrorClass | None = None
) -> VariantScore:
    names = ("selection", "order", "execution", "arguments", "control_path")
    trace = TraceScore.model_validate({n: bit == "1" for n, bit in zip(names, bits, strict=True)})
    return VariantScore(
        trace=trace, side_effect=side_effect, terminal_output=output, has_output=True, error=error
    )


RIGHT = _score("11111", True, True)
HALF = _score("10011", False, True)  # trace 0.6, orchestration 0.3, mean (0.3+0+0+0.6+1)/5 = 0.38
LOST = _score("00000", False, False, ErrorClass.INFRASTRUCTURE)
REFUSED = _score("00000", False, False, ErrorClass.SCHEMA_TYPE)
SILENT = _score("00000", False, False, ErrorClass.MODEL)


def test_totals_are_means_over_variants_not_over_samples() -> None:
    # A SOP with three variants and one with one: 1.3 / 4, not (0.3 + 1 / 3) / 2.
    samples = [Totals.of([RIGHT, REFUSED, LOST]), Totals.of([HALF])]
    totals = Totals.added(samples)
    assert totals == Totals.added(reversed(samples)) == Totals.of([HALF, LOST, RIGHT, REFUSED])
    assert totals.variants == 4
    assert totals.mean(Metric.ORCHESTRATION) == pytest.approx(1.3 / 4)
    assert totals.mean(Metric.MEAN) == pytest.approx(1.38 / 4)
    assert totals.mean(Metric.FINAL) == 0.25
    assert totals.mean(Metric.SELECTION) == 0.5
    assert Totals.model_validate_json(totals.model_dump_json()) == totals


def test_error_rate_stands_with_and_without_infrastructure() -> None:
    totals = Totals.of([RIGHT, REFUSED, LOST, LOST, SILENT])
    assert totals.errors == {
        ErrorClass.SCHEMA_TYPE: 1,
        ErrorClass.MODEL: 1,
        ErrorClass.INFRASTRUCTURE: 2,
    }
    assert totals.error_rate() == pytest.approx(4 / 5)
    assert totals.error_rate(with_infrastructure=False) == pytest.approx(2 / 3)
    assert totals.mean(Metric.TRACE) == pytest.approx(1 / 5)
    assert totals.mean(Metric.TRACE, with_infrastructure=False) == pytest.approx(1 / 3)
    assert totals.invalid_plans() == 1


def test_mean_splits_into_validity_and_accuracy_given_validity() -> None:
    totals = Totals.of([RIGHT, HALF, REFUSED, LOST])
    assert totals.validity() == 0.5
    assert totals.mean_given_validity(Metric.ORCHESTRATION) == pytest.approx(0.65)
    assert totals.mean(Metric.ORCHESTRATION) == pytest.approx(0.5 * 0.65)


def test_totals_of_nothing_are_undefined() -> None:
    for totals in (Totals.of([]), Totals.added([]), Totals()):
        assert [totals.mean(metric) for metric in METRICS] == [NONE] * len(METRICS)
        assert totals.error_rate() == totals.validity() == NONE
    lost = Totals.of([LOST])
    assert lost.mean(Metric.TRACE) == 0
    assert lost.mean(Metric.TRACE, with_infrastructure=False) == NONE
    assert lost.mean_given_validity(Metric.TRACE) == NONE


# --- gaps ---------------------------------------------------------------------------------------------


def _scores(**sops: list[float]) -> dict[VariantKey, float]:
    return {
        VariantKey(sop, str(place)): value
        for sop, values in sops.items()
        for place, value in enumerate(values)
    }


def test_gap_is_a_paired_mean_in_points_clustered_by_sop() -> None:
    step = _scores(a=[1, 1, 0.5], b=[0.4], c=[0.7])
    plan = _scores(a=[0.5, 0.5, 0], b=[0.5], d=[1])
    found = gap(step, plan)
    assert found.points == pytest.approx((50 + 50 + 50 - 10) / 4)
    assert (found.variants, found.sops) == (4, 2)
    assert isinstance(found.interval, Interval)
    assert found.interval.method == "cluster bootstrap"
    # One of the two clusters alone may be drawn.
    assert (found.interval.lower, found.interval.upper) == pytest.approx((-10, 50))
    assert gap(step, plan) == gap(dict(reversed(step.items())), plan)


def test_gap_above_the_floor_makes_doing_nothing_and_an_invalid_plan_the_same() -> None:
    floor = _scores(a=[0.5, 0.0], b=[0.5])
    stops = _scores(a=[0.5, 0.0], b=[0.5])
    refused = _scores(a=[0.0, 0.0], b=[0.0])
    assert gap(stops, refused).points == pytest.approx(100 / 3)
    assert gap_above_floor(stops, refused, floor, floor).points == 0
    right = _scores(a=[1.0, 1.0], b=[1.0])
    assert gap_above_floor(right, refused, floor, floor).points == pytest.approx(200 / 3)


def test_gap_without_common_variants_is_undefined() -> None:
    found = gap(_scores(a=[1]), _scores(b=[1]))
    assert (found.points, found.variants) == (NONE, 0)
    assert found.interval == Undefined(reason="fewer than two clusters")


def test_published_deltas_have_the_published_mean() -> None:
    mean = mean_delta([24.5, 20.6, 13.1, 8.5, 0.1, -6.9])
    assert isinstance(mean, float)
    assert f"{mean:+.2f}" == "+9.98"


def test_published_gap_shrinks_as_published() -> None:
    share = shrunk_by(40.67, 8.53)
    assert isinstance(share, float)
    assert f"{share:.0%}" == "79%"
    assert shrunk_by(0, 1) == NONE


# --- revisions ----------------------------------------------------------------------------------------


def _attempts(*rows: tuple[float, bool]) -> dict[VariantKey, Attempt]:
    return {
        VariantKey("s", str(place)): Attempt(
            score=score, error=None if valid else ErrorClass.SCHEMA_TYPE
        )
        for place, (score, valid) in enumerate(rows)
    }


def test_revision_splits_the_gain_into_repair_and_the_rest() -> None:
    before = _attempts((0, False), (0, False), (0, False), (0.5, True), (0.8, True), (1, True))
    after = _attempts((1, True), (0.5, True), (0, False), (0.7, True), (0.6, True), (0, False))
    alone = _attempts((0.9, True), (0, False), (0, False), (1, True), (0.8, True), (1, True))
    found = revision(before, after, alone)
    assert (found.variants, found.up, found.down) == (6, 3, 2)
    # +1 +0.5 of repaired plans; +0.2 -0.2 -1 of the others.
    assert found.gain == pytest.approx(100 * 0.5 / 6)
    assert found.from_repair == pytest.approx(100 * 1.5 / 6)
    assert found.on_valid == pytest.approx(100 * -1.0 / 6)
    assert found.share_of_repair == pytest.approx(3.0)
    assert (found.repaired, found.broken) == (2, 1)
    # +0.9 of a repaired plan, +0.5 and 0 of valid ones: over the gain of both kinds.
    assert found.validation_only == pytest.approx(100 * 1.4 / 6)
    assert found.recovery == pytest.approx(1.4 / (1.5 - 1.0))


def test_revision_without_gain_or_validation_only_is_undefined() -> None:
    same = _attempts((0.5, True))
    found = revision(same, same)
    assert (found.gain, found.up, found.down) == (0, 0, 0)
    assert (found.share_of_repair, found.recovery) == (NO_GAIN, NONE)
    assert revision(same, same, same).recovery == NO_GAIN
    worse = _attempts((0.4, True))
    assert revision(same, worse, same).recovery == NO_GAIN


def test_recovery_divides_by_repair_and_valid() -> None:
    """C2: 0.60 where division by the repair alone gave 0.75."""
    before = _attempts((0, False), (0, False), (0.5, True), (0.5, True))
    after = _attempts((1, True), (0.6, True), (0.9, True), (0.5, True))
    alone = _attempts((0.6, True), (0.6, True), (0.5, True), (0.5, True))
    found = revision(before, after, alone)
    assert found.from_repair == pytest.approx(40)
    assert found.on_valid == pytest.approx(10)
    assert found.validation_only == pytest.approx(30)
    assert found.recovery == pytest.approx(0.60)
    assert found.share_of_repair == pytest.approx(0.80)


def test_published_recovery_is_reproduced_from_its_table() -> None:
    """C2: the Mistral row: repair 7.09, valid 0.52, validation-only 6.10 points: 80.2 %."""
    share = recovery(6.10, 7.09, 0.52)
    assert isinstance(share, float)
    assert f"{share:.1%}" == "80.2%"
    # And as variants: of 100 ten were invalid; 52 of the others gain a hundredth each.
    rows = [(0.0, False)] * 10 + [(0.5, True)] * 90
    after = [(0.709, True)] * 10 + [(0.51, True)] * 52 + [(0.5, True)] * 38
    alone = [(0.61, True)] * 10 + [(0.5, True)] * 90
    found = revision(_attempts(*rows), _attempts(*after), _attempts(*alone))
    assert found.from_repair == pytest.approx(7.09)
    assert found.on_valid == pytest.approx(0.52)
    assert found.validation_only == pytest.approx(6.10)
    assert isinstance(found.recovery, float)
    assert f"{found.recovery:.1%}" == "80.2%"


def test_recovery_is_over_variants_that_all_three_have() -> None:
    before, after = _attempts((0, False), (0, False)), _attempts((1, True), (0, True))
    found = revision(before, after, _attempts((0.5, True)))
    assert (found.variants, found.gain, found.validation_only) == (1, 100, 50)
    assert found.recovery == 0.5


def test_repaired_workflows_are_counted_by_what_was_wrong() -> None:
    """Workflows, not variants: parse/shape against schemas, types and references."""
    classes = [
        ("a", ErrorClass.RESPONSE_PARSING, None),
        ("b", ErrorClass.PARSE_SHAPE, None),
        ("c", ErrorClass.SCHEMA_TYPE, None),
        ("d", ErrorClass.REFERENCE, None),
        ("e", ErrorClass.SCHEMA_TYPE, ErrorClass.REFERENCE),
        ("f", None, None),
    ]
    keys = [(VariantKey(sop, str(n)), old, new) for sop, old, new in classes for n in range(3)]
    found = revision(
        {key: Attempt(score=0, error=old) for key, old, _ in keys},
        {key: Attempt(score=0.5, error=new) for key, _, new in keys},
    )
    assert found.repaired == 12
    assert found.repaired_workflows == {
        ErrorClass.RESPONSE_PARSING: 1,
        ErrorClass.PARSE_SHAPE: 1,
        ErrorClass.SCHEMA_TYPE: 1,
        ErrorClass.REFERENCE: 1,
    }
    assert found.failed_validation == 0.5


def test_failures_fall_under_the_source_s_classes() -> None:
    """C9: what cannot be read is response parsing, not planning."""
    totals = Totals(variants=9, errors=dict.fromkeys(ErrorClass, 1))
    assert totals.by_source_class() == {
        SourceClass.RESPONSE_PARSING: 1,
        SourceClass.VALIDATION_PLANNING: 4,
        SourceClass.MODEL: 1,
        SourceClass.INFRASTRUCTURE: 1,
        SourceClass.EVALUATION: 1,
    }
    assert totals.error_rate() == pytest.approx(8 / 9)


# --- strata -------------------------------------------------------------------------------------------

_FOREIGN = call("mcp.automation:make_reference")
_NOTHING: dict[str, Any] = {"kind": "return"}


def _shape(*steps: dict[str, Any], variant: str = "fine") -> tuple[str, ...]:
    found = strata(parsed(*steps), RETRY.variants[variant])
    return found.size, found.families, found.composition, found.depth


def _if(*then: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "if", "condition": True, "then": list(then)}


def _loop(*do: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "for_each", "items": [1], "as": "x", "do": list(do)}


def _try(*do: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "try", "do": list(do), "catch": []}


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param([_NOTHING], ("0", "0", "linear", "1"), id="no call"),
        pytest.param([_FOREIGN], ("1–2", "0", "linear", "1"), id="helpers only"),
        pytest.param([call(POST), _FOREIGN], ("1–2", "1", "linear", "1"), id="two calls"),
        pytest.param([call(POST)] * 3, ("3–5", "1", "linear", "1"), id="three calls"),
        pytest.param([call(POST)] * 5 + [call(OPEN)], ("≥6", "2", "linear", "1"), id="six calls"),
        pytest.param([_if(call(POST))], ("1–2", "1", "branch only", "2"), id="branch"),
        pytest.param([_if(_if(call(POST)))], ("1–2", "1", "branch only", "3+"), id="branches"),
        pytest.param([_loop(call(POST)), _loop()], ("1–2", "1", "loop only", "2"), id="loops"),
        pytest.param([_try(call(POST))], ("1–2", "1", "error handling only", "2"), id="try"),
        pytest.param([_try(), _if()], ("0", "0", "multiple", "2"), id="beside each other"),
        pytest.param([_try(_loop(_if()))], ("0", "0", "multiple", "3+"), id="nested"),
        pytest.param(
            [call(POST), call(OPEN), call("mcp.crm:x")], ("3–5", "3+", "linear", "1"), id="families"
        ),
    ],
)
def test_strata_of_a_workflow(steps: list[dict[str, Any]], expected: tuple[str, ...]) -> None:
    assert _shape(*steps) == expected


def test_strata_say_which_control_flow_and_whether_a_fault() -> None:
    rows = [
        (RETRY, "down", (False, False, True, True)),
        (RETRY, "fine", (False, False, True, False)),
        (DUNNING, "many", (True, True, False, False)),
        (GATE, "good", (True, False, False, False)),
    ]
    for sop, name, expected in rows:
        found = strata(sop.program, sop.variants[name])
        flags = (found.has_conditional, found.has_loop, found.has_try, found.has_fault)
        assert flags == expected


def test_runtime_helpers_can_be_named() -> None:
    assert strata(parsed(call(POST)), RETRY.variants["fine"], {"chat"}).families == "0"


def test_every_fault_of_a_variant_counts() -> None:
    fault = Fault.model_validate({"tool": POST, "kind": "permanent"})
    variant = Variant(id="v", inputs={}, faults=(fault, fault))
    assert strata(parsed(), variant).has_fault
