"""The `skillbench` command; every verb calls one function."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import IO, Literal

import click

from skillbench_tasks.errors import SkillbenchError

__all__ = ["main", "skillbench"]


@click.group()
@click.version_option(package_name="skillbench-tasks")
def skillbench() -> None:
    """Cases, checks and proofs of the skillbench suite."""


_skills = click.option(
    "--skills",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=None,
    help="Folder of skills; default: those that ship.",
)


@skillbench.command("list")
@_skills
def list_cases(skills: Path | None) -> None:
    """List all cases."""
    from skillbench_tasks.datasets.loaders import load_cases
    from skillbench_tasks.reports.cases import case_table

    click.echo(case_table(load_cases(skills)))


@skillbench.command()
@click.argument("case")
@_skills
def show(case: str, skills: Path | None) -> None:
    """Show one case: policy, user, gold dialogue, checks."""
    from skillbench_tasks.datasets.loaders import case_by_id
    from skillbench_tasks.reports.cases import case_page

    click.echo(case_page(case_by_id(case, skills)))


@skillbench.command()
@click.argument("skill")
@_skills
def skeleton(skill: str, skills: Path | None) -> None:
    """Print the skeletons on which a skill's gold conversations are authored."""
    from skillbench_tasks.datasets.loaders import cases_of, load_skills
    from skillbench_tasks.reports.cases import skeleton_page

    for found in load_skills(skills, skill):
        for case in cases_of(found, words=False):
            click.echo(skeleton_page(case) + "\n")


@skillbench.command()
@click.argument("skill")
@click.option("--draft", is_flag=True, help="Print a policy.yaml to fill in, old entries kept.")
@_skills
def policy(skill: str, draft: bool, skills: Path | None) -> None:
    """Show what grades each sentence of a skill's page."""
    from skillbench_tasks.datasets.loaders import cases_of, load_skills
    from skillbench_tasks.reports.policy import policy_draft, policy_page

    for found in load_skills(skills, skill):
        click.echo(policy_draft(found) if draft else policy_page(found, cases_of(found)))


@skillbench.command()
@click.argument("skill", required=False)
@_skills
def check(skill: str | None, skills: Path | None) -> None:
    """Check files, words and gold runs; exit 1 when something is wrong."""
    from skillbench_tasks.reports.checking import check_skills

    count, faults = check_skills(skills, skill)
    for fault in faults:
        click.echo(fault)
    click.echo(f"{count} cases, {len(faults)} faults")
    sys.exit(1 if faults else 0)


@skillbench.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON; the default is the same, indented.")
@_skills
def stats(as_json: bool, skills: Path | None) -> None:
    """Count tools, skills, scenarios, decisions, words."""
    from skillbench_tasks.datasets.loaders import load_cases
    from skillbench_tasks.reports.stats import suite_stats

    counts = suite_stats(load_cases(skills))
    click.echo(json.dumps(counts, indent=None if as_json else 2, ensure_ascii=False))


@skillbench.command()
@click.option("--log-dir", type=click.Path(path_type=Path), default=Path("logs/baselines"))
@click.option(
    "--task",
    type=click.Choice(["zero_shot", "next_turn"]),
    default="zero_shot",
    help="next_turn: gold_history and closed_loop.",
)
@click.option("--dataset", default=None, help="For next_turn: other conversations, as -T dataset.")
@_skills
def baselines(log_dir: Path, task: str, dataset: str | None, skills: Path | None) -> None:
    """Run what needs no model; exit 1 when a bound breaks."""
    from skillbench_tasks.reports.baselines import run_baselines
    from skillbench_tasks.reports.next_turn_floors import run_floors

    is_next_turn = task == "next_turn"
    place = dataset or (str(skills) if skills else None)
    result = run_floors(log_dir, place) if is_next_turn else run_baselines(log_dir, skills)
    click.echo(result.table)
    for line in result.broken:
        click.echo(f"BROKEN {line}")
    sys.exit(1 if result.broken else 0)


@skillbench.command()
@click.option("--json", "as_json", is_flag=True, help="All figures and survivors as JSON.")
@_skills
def mutants(as_json: bool, skills: Path | None) -> None:
    """Grade planted defects; exit 1 when more than 1 % of them pass."""
    from skillbench_tasks.datasets.loaders import load_cases
    from skillbench_tasks.reports.mutants import holds, mutant_report, mutant_table

    report = mutant_report(load_cases(skills))
    click.echo(json.dumps(report, ensure_ascii=False) if as_json else mutant_table(report))
    sys.exit(0 if holds(report) else 1)


@skillbench.command()
@click.option("--task", "tasks", multiple=True, help="Only this task; may be given again.")
@click.option("--kind", "kinds", multiple=True, help="Only this kind; may be given again.")
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True),
    default=None,
    help="Right runs of somebody else's: a JSON Lines file, or a folder of such.",
)
@click.option("--json", "as_json", is_flag=True, help="All counts and failing runs as JSON.")
@_skills
def variations(
    tasks: tuple[str, ...],
    kinds: tuple[str, ...],
    file: Path | None,
    as_json: bool,
    skills: Path | None,
) -> None:
    """Grade right runs; exit 1 when more than 1 % of a task's fail, or 3 % of a kind."""
    from skillbench_tasks.reports.variations import variation_report, variation_table

    report = variation_report(
        skills=skills,
        tasks=tasks,
        kinds=kinds,
        file=file,
        progress=lambda line: click.echo(line, err=True),
    )
    click.echo(report.model_dump_json() if as_json else variation_table(report))
    sys.exit(0 if report.holds else 1)


@skillbench.command()
@click.option("--log-dir", type=click.Path(path_type=Path), default=Path("logs/demo"))
def demo(log_dir: Path) -> None:
    """Run the reference agent over all cases and print the results."""
    from skillbench_tasks.reports.demo import run_demo

    click.echo(run_demo(log_dir))


@skillbench.command()
@click.argument("scenario")
@_skills
@click.option("--dataset", default=None, help="Foreign data in their stead, as tau2:PATH.")
@click.option("--http", is_flag=True, help="Over HTTP on 127.0.0.1; the default is stdio.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Port for --http; 0 takes any free one. The URL is printed.",
)
def serve(scenario: str, skills: Path | None, dataset: str | None, http: bool, port: int) -> None:
    """Serve a scenario's tools to MCP clients, with a world of its own for each session."""
    from skillbench_tasks.datasets.sources import open_source, source_place
    from skillbench_tasks.tools.serving import serve_http, serve_stdio
    from skillbench_tasks.tools.toolbox import Toolbox

    source = open_source(source_place(str(skills) if skills else None, dataset))
    case = source.case(scenario)

    def toolbox() -> Toolbox:
        return Toolbox(source.tools(case), source.world(case), case.scenario.faults)

    if http:
        serve_http(toolbox, port, click.echo)
    else:
        serve_stdio(toolbox)


@skillbench.command()
@click.option("--json", "as_json", is_flag=True, help="The ids, made anew: what is stored.")
def splits(as_json: bool) -> None:
    """Count the conversations and decisions of the splits, and the wording that they share."""
    from skillbench_tasks.reports.splits import split_json, split_page

    click.echo(split_json() if as_json else split_page())


@skillbench.command()
@click.argument("logs_a", type=click.Path(path_type=Path))
@click.argument("logs_b", type=click.Path(path_type=Path))
@click.option(
    "--by",
    type=click.Choice(["novelty", "kind", "skill"]),
    default=None,
    help="Divide each row by skills seen in training or not, by kind of scenario, or by skill.",
)
@click.option("--json", "as_json", is_flag=True, help="All figures and counts as JSON.")
def compare(
    logs_a: Path, logs_b: Path, by: Literal["novelty", "kind", "skill"] | None, as_json: bool
) -> None:
    """Compare two models on the same cases: logs, or folders of logs, before and after."""
    from skillbench_tasks.reports.comparison_report import compare_logs
    from skillbench_tasks.reports.comparison_table import comparison_page

    report = compare_logs(logs_a, logs_b, by)
    click.echo(report.model_dump_json() if as_json else comparison_page(report))


@skillbench.command()
@click.argument("gold_log", type=click.Path(path_type=Path))
@click.argument("closed_log", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="All figures and counts as JSON.")
def propagation(gold_log: Path, closed_log: Path, as_json: bool) -> None:
    """Pair each decision of a closed loop with itself under gold history: how errors spread."""
    from skillbench_tasks.reports.paired_propagation import paired, paired_page, read_pairs

    pairs, notes = read_pairs(gold_log, closed_log)
    found = paired(pairs)
    click.echo(found.model_dump_json() if as_json else paired_page(found, notes))


@skillbench.command()
@click.argument("sop", required=False)
@click.option("--strata", "by_strata", is_flag=True, help="Counts by stratum.")
@click.option("--coverage", is_flag=True, help="Coverage obligations reached.")
@click.option("--check", "is_check", is_flag=True, help="Check all; exit 1 on a fault.")
def sops(sop: str | None, by_strata: bool, coverage: bool, is_check: bool) -> None:
    """List the operating procedures, or show one as a model reads it."""
    from skillbench_tasks.datasets.sops.loading import sop_by_id
    from skillbench_tasks.reports import sops as pages

    if is_check:
        count, faults = pages.all_faults()
        for fault in faults:
            click.echo(fault)
        click.echo(f"{count} SOPs, {len(faults)} faults")
        sys.exit(1 if faults else 0)
    if sop is not None:
        click.echo(pages.sop_page(sop_by_id(sop)))
    elif by_strata:
        click.echo(pages.strata_page())
    else:
        click.echo(pages.coverage_page() if coverage else pages.sop_table())


@skillbench.command()
@click.argument("logs", type=click.Path(path_type=Path))
def gap(logs: Path) -> None:
    """Compare the protocols of orchestration over one model's logs, in all and by stratum."""
    from skillbench_tasks.reports.orchestration_gap import gap_page

    click.echo(gap_page(logs))


@skillbench.command()
def fidelity() -> None:
    """Replay recorded reference calls one by one; exit 1 when a component is below 100 %."""
    from skillbench_tasks.reports.fidelity import fidelity as replay
    from skillbench_tasks.reports.fidelity import fidelity_page

    found = replay()
    click.echo(fidelity_page(found))
    sys.exit(0 if found.holds else 1)


@skillbench.command()
@click.argument("sop", required=False)
@click.option(
    "--propose", is_flag=True, help="Further variants that kill survivors, as JSON Lines."
)
@click.option("--lookup", is_flag=True, help="What a plan scores that looks outcomes up.")
def strength(sop: str | None, propose: bool, lookup: bool) -> None:
    """Mutate the reference workflows; exit 1 when variants let more than 1 % pass."""
    from skillbench_tasks.datasets.sops.loading import load_sops, sop_by_id
    from skillbench_tasks.reports import lookup as lookups
    from skillbench_tasks.reports import strength as strengths
    from skillbench_tasks.reports.strengthening import proposal_lines

    sops = load_sops() if sop is None else (sop_by_id(sop),)
    if lookup:
        click.echo(lookups.lookup_page(lookups.lookup_scores(sops)))
    elif propose:
        for line in proposal_lines(sops):
            click.echo(line)
    else:
        found = strengths.strength(sops)
        click.echo(strengths.strength_page(found))
        sys.exit(0 if found.holds else 1)


@skillbench.group()
def export() -> None:
    """Write data for other programs."""


@export.command()
@click.option(
    "--split",
    type=click.Choice(["train", "validation"]),
    default="train",
    help="Which conversations; the evaluation split is not for training.",
)
@click.option("--out", type=click.File("wb"), default="-", help="File; default: standard output.")
def sft(split: str, out: IO[bytes]) -> None:
    """Write next-action examples as chat-format JSON Lines: messages and tools."""
    from skillbench_tasks.datasets.sft import write_sft
    from skillbench_tasks.datasets.splits import Split

    click.echo(f"{write_sft(Split(split), out)} examples", err=True)


@export.command()
@click.option("--out", type=click.File("wb"), default="-", help="File; default: standard output.")
def orchestration(out: IO[bytes]) -> None:
    """Write pairs of specification and workflow as JSON Lines."""
    from skillbench_tasks.datasets.sops.export import write_orchestration

    click.echo(f"{write_orchestration(out)} pairs", err=True)


def main() -> None:
    """Run the command; a fault of data or options is one line, not a traceback."""
    try:
        skillbench()
    except SkillbenchError as error:
        click.echo(f"skillbench: {error}", err=True)
        sys.exit(2)
