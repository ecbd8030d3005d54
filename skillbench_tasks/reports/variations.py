"""The grading proved on right runs: variations that must pass (the mirror of mutants)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final, Literal, NamedTuple

from skillbench_tasks.datasets.conversations import CaseConversations
from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.datasets.mutants.story import digest
from skillbench_tasks.datasets.script import Script, gold_script
from skillbench_tasks.datasets.sops.loading import load_sops
from skillbench_tasks.datasets.variations import (
    REPLAYED_KINDS,
    VARIATION_KINDS,
    variations_of,
)
from skillbench_tasks.datasets.variations.files import read_variations
from skillbench_tasks.datasets.variations.plans import PLAN_KINDS, rewritten
from skillbench_tasks.datasets.variations.variation import Variation
from skillbench_tasks.errors import DataError, OptionError
from skillbench_tasks.models import Case, Model
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.reports.variation_grading import (
    PLAN_TASKS,
    PlanTask,
    fault_of_plan,
    fault_of_replay,
    fault_of_run,
)

__all__ = [
    "KIND_SHARE_MIN",
    "SHARE_MIN",
    "VARIATION_TASKS",
    "VariationReport",
    "VariationTask",
    "variation_report",
    "variation_table",
]

SHARE_MIN: Final = 0.99
"""Least share of a task's right runs that must pass."""

KIND_SHARE_MIN: Final = 0.97
"""Least share of each kind."""

VariationTask = Literal["zero_shot", "closed_loop", PlanTask]

VARIATION_TASKS: Final[tuple[VariationTask, ...]] = ("zero_shot", "closed_loop", *PLAN_TASKS)
"""The tasks whose grading is proved."""

_ALL: Final = 1.0


class GradedRun(NamedTuple):
    """A right run and why it is graded wrong; nothing where it passes."""

    task: VariationTask
    kind: str
    case: str
    detail: str
    fault: str | None


class FailedRun(Model):
    """A right run that is graded wrong."""

    task: str
    kind: str
    case: str
    detail: str
    fault: str


class KindCount(Model):
    """Runs of a kind under a task, and how many of them pass."""

    task: str
    kind: str
    runs: int
    passed: int

    @property
    def share(self) -> float:
        """The share that passes, 0 to 1."""
        return self.passed / self.runs


class VariationReport(Model):
    """All counts by task and kind, and the right runs that fail."""

    counts: tuple[KindCount, ...]
    failed: tuple[FailedRun, ...]

    @property
    def runs(self) -> int:
        """How many runs were graded."""
        return sum(one.runs for one in self.counts)

    @property
    def share(self) -> float:
        """The share of all runs that passes, 0 to 1."""
        return _share(self.counts) if self.counts else 0.0

    @property
    def holds(self) -> bool:
        """Whether enough runs pass: of each task, and of each kind; not so without a run."""
        tasks = {one.task for one in self.counts}
        kinds = {one.kind for one in self.counts}
        return (
            self.runs > 0
            and all(_share(c for c in self.counts if c.task == task) >= SHARE_MIN for task in tasks)
            and all(
                _share(c for c in self.counts if c.kind == kind) >= KIND_SHARE_MIN for kind in kinds
            )
        )


def _share(counts: Iterable[KindCount]) -> float:
    found = list(counts)
    return sum(one.passed for one in found) / sum(one.runs for one in found)


def variation_report(
    *,
    skills: Path | None = None,
    tasks: Sequence[str] = (),
    kinds: Sequence[str] = (),
    file: Path | None = None,
    sample: float = _ALL,
    progress: Callable[[str], None] = lambda _line: None,
) -> VariationReport:
    """Make right runs, or read them from a file, and grade every one.

    Args:
        skills: Folder of skills; default: those that ship.
        tasks: Only these tasks; default: all.
        kinds: Only these kinds; default: all.
        file: Runs of somebody else's, in place of made ones (`zero_shot`).
        sample: Share of the cases and SOPs that is graded, always the same ones.
        progress: Told of each case or SOP before its runs are graded.

    Raises:
        OptionError: A kind is of none of the tasks.
        DataError: A run of the file is of a case that is not there.
    """
    known = {*VARIATION_KINDS, *PLAN_KINDS}
    if file is None and (unknown := sorted(set(kinds) - known)):
        raise OptionError("--kind", f"there is no kind {', '.join(unknown)}", "see --help")
    if file is not None:
        cases = {case.id: case for case in load_cases(skills)}
        return _report(_of_file(file, cases, kinds, progress))
    choice = _Choice(tuple(tasks) or VARIATION_TASKS, tuple(kinds), sample, progress)
    return _report(chain(_of_cases(skills, choice), _of_sops(choice)))


class _Choice(NamedTuple):
    """What is graded."""

    tasks: tuple[str, ...]
    kinds: tuple[str, ...]
    sample: float
    progress: Callable[[str], None]

    def has(self, task: str, kind: str) -> bool:
        """Return whether a kind is graded under a task."""
        return task in self.tasks and (not self.kinds or kind in self.kinds)

    def takes(self, *name: object) -> bool:
        """Return whether something is in the sample."""
        return digest("sample", *name) / 2**64 < self.sample


def _of_cases(skills: Path | None, choice: _Choice) -> Iterator[GradedRun]:
    if not {"zero_shot", "closed_loop"} & set(choice.tasks):
        return
    conversations = CaseConversations(None if skills is None else str(skills))
    for case in load_cases(skills):
        if not choice.takes(case.id):
            continue
        choice.progress(case.id)
        yield from _of_case(case, conversations, choice)


def _of_case(case: Case, conversations: CaseConversations, choice: _Choice) -> Iterator[GradedRun]:
    said = [turn.text for turn in gold_script(case).turns if turn.role == "user"]
    for kind in VARIATION_KINDS:
        is_replayed = choice.has("closed_loop", kind) and kind in REPLAYED_KINDS
        if not is_replayed and not choice.has("zero_shot", kind):
            continue
        for one in variations_of(case, kind):
            if choice.has("zero_shot", kind):
                fault = fault_of_run(case, one)
                yield GradedRun("zero_shot", kind, case.id, one.detail, fault)
            if is_replayed and said == _said_by_user(one) and _keeps_writes(case, one):
                fault = fault_of_replay(conversations.conversation(case.id), case, one)
                yield GradedRun("closed_loop", kind, case.id, one.detail, fault)


def _said_by_user(variation: Variation) -> list[str]:
    return [turn.text for turn in variation.script.turns if turn.role == "user"]


def _keeps_writes(case: Case, variation: Variation) -> bool:
    """Whether writes come in the gold order; the closed loop takes no other one, by its rules."""

    def writes(script: Script) -> list[str]:
        toolkit = case.checks.toolkit
        called = (call.tool for turn in script.turns for call in turn.calls)
        return list(dict.fromkeys(tool for tool in called if toolkit.get(tool) == "write"))

    return writes(variation.script) == writes(gold_script(case))


def _of_sops(choice: _Choice) -> Iterator[GradedRun]:
    tasks = [task for task in PLAN_TASKS if task in choice.tasks]
    if not tasks:
        return
    for sop in load_sops():
        if not choice.takes(sop.id):
            continue
        choice.progress(sop.id)
        for kind in PLAN_KINDS:
            wanted = [task for task in tasks if choice.has(task, kind)]
            program = rewritten(sop, kind) if wanted else None
            if program is not None:
                for task in wanted:
                    fault = fault_of_plan(sop, kind, program, task)
                    yield GradedRun(task, kind, sop.id, "", fault)


def _of_file(
    file: Path,
    cases: dict[str, Case],
    kinds: Sequence[str],
    progress: Callable[[str], None],
) -> Iterator[GradedRun]:
    for one in read_variations(file):
        if one.case not in cases:
            mend = "see `skillbench list`"
            raise DataError(file.name, "case", f"there is no case {one.case}", mend)
        if not kinds or one.kind in kinds:
            progress(one.case)
            fault = fault_of_run(cases[one.case], one)
            yield GradedRun("zero_shot", one.kind, one.case, one.detail, fault)


def _report(graded: Iterable[GradedRun]) -> VariationReport:
    runs: Counter[tuple[str, str]] = Counter()
    failing: Counter[tuple[str, str]] = Counter()
    failed = []
    for one in graded:
        runs[one.task, one.kind] += 1
        if one.fault is not None:
            failing[one.task, one.kind] += 1
            failed.append(FailedRun(**one._asdict()))
    counts = (
        KindCount(task=task, kind=kind, runs=n, passed=n - failing[task, kind])
        for (task, kind), n in runs.items()
    )
    order: dict[str, int] = {task: number for number, task in enumerate(VARIATION_TASKS)}
    return VariationReport(
        counts=tuple(sorted(counts, key=lambda one: order[one.task])), failed=tuple(failed)
    )


def variation_table(report: VariationReport) -> str:
    """Return the report as a table with the right runs that fail below it."""
    rows = [
        (one.task, one.kind, str(one.runs), str(one.passed), f"{100 * one.share:.1f} %")
        for one in report.counts
    ]
    passed = sum(one.passed for one in report.counts)
    rows.append(("total", "", str(report.runs), str(passed), f"{100 * report.share:.2f} %"))
    lines = [text_table(("task", "kind", "runs", "passed", "share"), rows)]
    lines += [
        f"FAILS {one.task} {one.kind} {one.case}: {one.detail}: {one.fault}"
        for one in report.failed
    ]
    return "\n".join(lines)
