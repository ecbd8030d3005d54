r"""Several models under several judges, as one eval set that resumes.

Every model holds every conversation, and every judge grades each of them. Killed and started again
with the same arguments, it runs only what is missing: a model with a finished log is left alone, of
a broken one only the conversations run that were not finished. A further `--model` can be added at
any time; other judges need another folder.

Run it (`--user` makes it the published profile, with a model as the customer):

    python examples/models_by_judges.py --log-dir logs/models-by-judges \
        --model openai/gpt-5.4 --model vllm/Qwen/Qwen3.5-9B \
        --judge openai/gpt-5 --judge google/gemini-2.5-pro \
        --user vllm/google/gemma-4-31b-it
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence

from inspect_ai import eval_set
from inspect_ai.log import EvalLog

from skillbench_tasks.reports.tables import log_table
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.scorers.agreement import Statistic, Undefined, ranking_stability
from skillbench_tasks.scorers.panel_bound import missing_verdicts
from skillbench_tasks.scorers.panel_metrics import PASS_PREFIX

__all__ = ["main", "pass_rates", "ranking_tables"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing and print the tables.

    Args:
        arguments: Command line; default: this process's.

    Returns:
        0 when every model has a finished log and the judges gave their verdicts, else 1.
    """
    options = _options(arguments)
    roles = {"judge": options.judge, **({"user": options.user} if options.user else {})}
    is_complete, logs = eval_set(
        "skillbench_tasks/zero_shot",  # by name: Inspect makes it when models and judges are known
        task_args=_task_options(options),
        log_dir=options.log_dir,
        model=options.model,
        model_roles=roles,
        epochs=options.epochs,
        limit=options.limit,
        max_samples=options.max_samples,
        log_buffer=1,  # a finished conversation is on disk at once: a kill does not cost it
        retry_attempts=options.retries,
        retry_wait=options.retry_wait,
        display=options.display,
    )
    if not logs:  # Inspect calls a set that was stopped before its first log complete
        print("no log was written: the run was stopped; start it again")
        return 1
    logs = sorted(logs, key=lambda log: log.eval.model)
    found = {log.eval.model: missing_verdicts(log) for log in logs}
    problems = [f"{model}: {problem}" for model, problem in found.items() if problem]
    for log in logs:
        print(f"\n{log.eval.model} ({log.status})\n\n{log_table(log)}")
    for table in ranking_tables(pass_rates(logs)):
        print(f"\n{table}")
    for problem in problems:
        print(f"\n{problem}")
    is_done = is_complete and all(log.status == "success" for log in logs)
    return 0 if is_done and not problems else 1


def _task_options(options: Namespace) -> dict[str, str | int]:
    given = {"skills": options.skills, "kind": options.kind, "judge_samples": options.judge_samples}
    return {name: value for name, value in given.items() if value is not None}


def pass_rates(logs: Sequence[EvalLog]) -> dict[str, dict[str, Statistic]]:
    """Return model → judge → share of passes over the conversations that the judge has graded.

    Args:
        logs: One for each model.
    """
    return {log.eval.model: dict(_rates(log)) for log in logs}


def _rates(log: EvalLog) -> Iterator[tuple[str, Statistic]]:
    for score in log.results.scores if log.results else []:
        if score.name.startswith(PASS_PREFIX):
            name = score.name.removeprefix(PASS_PREFIX)
            if score.scored_samples:
                yield name, float(score.metrics["mean"].value)
            else:
                yield name, Undefined(reason="no scored votes")


def ranking_tables(rates: Mapping[str, Mapping[str, Statistic]]) -> list[str]:
    """Return who is strict with whom, and whether the judges rank the models alike.

    Args:
        rates: Model → judge → share of passes.
    """
    found = ranking_stability(rates)
    names = [one.judge for one in found.judges]
    models = [
        (
            one.model,
            *(_share(rates[one.model].get(name)) for name in names),
            _shown(one.strictness.spread, 1),
        )
        for one in found.models
    ]
    judges = [
        (one.judge, f"{one.most_lenient}/{found.compared}", f"{one.strictest}/{found.compared}")
        for one in found.judges
    ]
    pairs = [
        (f"{pair.first} | {pair.second}", _shown(pair.tau, 3), str(pair.models))
        for pair in found.pairs
    ]
    mean = (_shown(found.tau.value, 3), f"{found.tau.defined}/{found.tau.of} pairs")
    return [
        text_table(("passes of", *names, "spread, points"), models),
        text_table(("judge", "most lenient for", "strictest for"), judges),
        text_table(
            ("ranking of the models by two judges", "Kendall's τ-b", "models"),
            [*pairs, ("mean over pairs", *mean)],
        ),
    ]


def _share(rate: Statistic | None) -> str:
    return "unscored" if rate is None or isinstance(rate, Undefined) else f"{100 * rate:.1f} %"


def _shown(value: Statistic, digits: int) -> str:
    return str(value) if isinstance(value, Undefined) else f"{value:.{digits}f}"


def _options(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--model", action="append", required=True, help="a model; give several")
    parser.add_argument("--judge", action="append", required=True, help="a judge; give several")
    parser.add_argument("--user", help="the model that plays the customer; default: the script")
    parser.add_argument("--log-dir", required=True, help="one folder for each set of arguments")
    parser.add_argument("--skills", help="a folder of skills of your own")
    parser.add_argument("--kind", help="only these kinds of scenario, separated by commas")
    parser.add_argument("--judge-samples", type=int, default=1, help="answers of each judge")
    parser.add_argument("--epochs", type=int, default=1, help="conversations for each scenario")
    parser.add_argument("--limit", type=int, help="only the first scenarios")
    parser.add_argument("--max-samples", type=int, help="conversations at a time, for each model")
    parser.add_argument("--retries", type=int, default=3, help="tries for what fails")
    parser.add_argument("--retry-wait", type=float, default=30, help="seconds before a try")
    parser.add_argument("--display", default="rich", help="Inspect's display: rich, plain, none")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
