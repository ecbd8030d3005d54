"""The table of fidelity: what it counts, and what it calls a fault."""

from __future__ import annotations

from skillbench_tasks.datasets.sops.loading import sop_by_id
from skillbench_tasks.datasets.sops.references import reference_case
from skillbench_tasks.datasets.sops.running import parsed
from skillbench_tasks.reports.fidelity import FIDELITY_ROWS, fidelity, fidelity_page, replayed
from skillbench_tasks.scorers.orchestration import grade_run

SOP = "overdue-invoice-chase.2"


def test_fidelity_of_recorded_calls_is_whole() -> None:
    found = fidelity([sop_by_id(SOP)])
    assert (found.variants, found.holds, set(found.means.values())) == (6, True, {1.0})
    assert found.calls == 1 + 3 + 3 + 7 + 5 + 5
    page = fidelity_page(found).splitlines()
    assert page[0].startswith("6 variants, 24 recorded calls")
    assert [line.split("  ")[0] for line in page[4:]] == [
        "selection",
        "order",
        "execution",
        "control path",
        "arguments",
        "trace",
        "side effect",
        "orchestration",
    ]
    assert all(line.endswith("100.00 %") for line in page[4:])


def test_fidelity_below_the_whole_names_variant_and_component() -> None:
    found = fidelity([sop_by_id(SOP)])
    broken = found.model_copy(update={"faults": (f"{SOP}#2: order: another order",)})
    assert not broken.holds
    assert fidelity_page(broken).endswith(f"BELOW {SOP}#2: order: another order")
    assert not fidelity([]).holds


def test_replay_of_a_recording_without_its_last_call_is_below_the_whole() -> None:
    sop = sop_by_id(SOP)
    run = reference_case(sop).runs[1]
    shorter = run.executed.model_copy(update={"calls": run.executed.calls[:-1]})
    done = replayed(run.model_copy(update={"executed": shorter}))
    values = grade_run(run, done, parsed(sop.program)).values()
    assert any(values[row] < 1 for row in FIDELITY_ROWS)
