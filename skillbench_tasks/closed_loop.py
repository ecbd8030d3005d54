"""Protocol B iv–v: a whole workflow on the model's own history (`spec/next-turn.md`).

Source: *better turns versus finished workflows*: the model carries a gold conversation through; the
    user's turns come from a deterministic simulator, which are the gold ones.

What is measured: whether the workflow is completed (`workflow`), apart for workflows that need
    tools and those that need none, how an early error spreads, and whether the customer's goal was
    met in the eyes of a judge (`holistic_judge`).

Procedure:
1. The model gets the policy, the tools and the user's first gold message.
2. A call that matches the gold call that is due gets its recorded result; another gets an error,
   and up to two further tries. Then the decision counts as failed, and the replay goes on.
3. A text ends the turn: gold calls that were still due are missed, the user's next gold message
   follows. (All rules: `skillbench_tasks.solvers.replay.machine`.)
4. The replay ends behind the last gold decision. It is a success when no error is unresolved.
5. Each model in the role `judge` reads policy, tools, gold conversation and replay.

Deviations: `match=equivalent` also takes calls that do the same on the simulated world, and carries
    them out. With `judge_texts` the texts are judged too: the published loop lets any text pass.
    `completion_first_try` counts a corrected call as an error, beside the published
    reading, which leaves it open.
"""

from __future__ import annotations

from typing import Any, Final

from inspect_ai import Epochs, Task, task
from inspect_ai.log import HeadlineMetric
from inspect_ai.scorer import Scorer

from skillbench_tasks.datasets.conversations import conversation_place, open_conversations
from skillbench_tasks.datasets.decisions import conversations_of_split
from skillbench_tasks.datasets.replays import replay_dataset
from skillbench_tasks.models.replay_record import Match
from skillbench_tasks.scorers.holistic_judge import holistic_judge_of_run
from skillbench_tasks.scorers.replayed_texts import replayed_texts_of_run
from skillbench_tasks.scorers.spending import spend
from skillbench_tasks.scorers.workflow import workflow
from skillbench_tasks.solvers.predictors import MODEL, open_predictor
from skillbench_tasks.solvers.replaying import replay_loop, require_worlds
from skillbench_tasks.task_options import (
    absolute_paths,
    faults_as_one_line,
    refuse_unknown_options,
    require_choice,
    require_count,
    require_reachable,
    run_metadata,
)
from skillbench_tasks.versions import TASK_VERSION

__all__ = ["RETRIES", "closed_loop"]

RETRIES: Final = 2  # tries that a rejected call leaves


@absolute_paths
@task
def closed_loop(
    *,
    match: str = Match.STRICT,
    retries: int = RETRIES,
    dataset: str | None = None,
    split: str | None = None,
    predictor: str = MODEL,
    judge_samples: int = 1,
    judge_tie: str = "fail",
    rubric: str | None = None,
    judge_texts: bool = False,
    **unknown: Any,
) -> Task:
    """Carry gold conversations through on the model's own history.

    Args:
        match: What a call must be: the gold call (`strict`), or `equivalent` to it on the world.
        retries: Tries that a rejected call leaves.
        dataset: Conversations of one's own: a file, a folder of skills, `star:FOLDER` or
            `openai:FILE`; default: those that ship.
        split: `evaluation`, `validation`, `train` or `all`; default: `evaluation` of those that
            ship, all of others.
        predictor: Who decides: `model`, or one that needs none (`reference`, `silent`, `echo`,
            `repeat_last_call`, `most_frequent_call`, `perturbed:RATE`).
        judge_samples: Answers asked of each judge; the majority is its vote.
        judge_tie: What an even vote says: `fail`, `pass` or `unscored`.
        rubric: A rubric file of one's own; default: the protocol's.
        judge_texts: Whether the judges label each text of a replay too, on its own history.
        **unknown: Anything else is refused.
    """
    with faults_as_one_line():
        refuse_unknown_options(closed_loop, unknown)
        require_reachable()
        require_choice("match", match, Match)
        require_count("retries", retries)
        open_predictor(predictor)
        place = conversation_place(dataset)
        source = open_conversations(place)
        ids = conversations_of_split(source, split, is_shipped=place is None)
        require_worlds(source, ids, match)
        judges = _judges(judge_samples, judge_tie, rubric, judge_texts)
    return Task(
        dataset=replay_dataset(source, ids),
        solver=replay_loop(source=place, match=match, retries=retries, predictor=predictor),
        scorer=[workflow(), *judges, spend()],
        epochs=Epochs(1, "mean"),
        headline_metric=HeadlineMetric(scorer="workflow", score="completion", metric="mean"),
        version=int(TASK_VERSION),
        metadata=run_metadata(source.notes),
    )


def _judges(samples: int, tie: str, rubric: str | None, texts: bool) -> list[Scorer]:
    """Return the judges of whole replays and, if asked for, those of their texts."""
    require_choice("judge_texts", str(texts).lower(), ("true", "false"))
    of_texts = replayed_texts_of_run(samples, tie) if texts else []
    return [*holistic_judge_of_run(samples, tie, rubric), *of_texts]
