"""Protocol B i–iii: the next action after a gold history (`spec/next-turn.md`).

Source: *better turns versus finished workflows*: every assistant decision of a gold conversation
    is predicted alone, from the gold history before it.

What is measured: text overlap on text decisions (`rouge_1`), strict correctness of the call on tool
    decisions (`strict_tool`: exact, function name, argument F1), and whether the action is
    acceptable in the eyes of a judge (`turn_judge`), on all decisions and on each kind apart.

Procedure:
1. The model gets the policy, the tools and the gold history up to the decision.
2. It is called once; what it answers is read as a text, a call, or nothing. Nothing is carried out.
3. Text decisions are compared with the reference text, tool decisions with the reference call.
4. Each model in the role `judge` labels the action at temperature 0, with a failure category.

Deviations: beside the strict match, `equivalent` tells whether the predicted call has the same
    effect and result on the simulated world at that point. Without a model in the role `judge`
    nothing is labelled; several make a panel.
"""

from __future__ import annotations

from typing import Any

from inspect_ai import Epochs, Task, task

from skillbench_tasks.datasets.conversations import conversation_place, open_conversations
from skillbench_tasks.datasets.decisions import conversations_of_split, decision_dataset
from skillbench_tasks.scorers.spending import spend
from skillbench_tasks.scorers.turn_judge import turn_judge_of_run
from skillbench_tasks.scorers.turns import rouge_1, strict_tool
from skillbench_tasks.solvers.next_action import next_action
from skillbench_tasks.solvers.predictors import MODEL, open_predictor
from skillbench_tasks.task_options import (
    absolute_paths,
    faults_as_one_line,
    refuse_unknown_options,
    require_reachable,
    run_metadata,
)
from skillbench_tasks.versions import TASK_VERSION

__all__ = ["gold_history"]


@absolute_paths
@task
def gold_history(
    *,
    dataset: str | None = None,
    split: str | None = None,
    predictor: str = MODEL,
    judge_samples: int = 1,
    judge_tie: str = "fail",
    rubric: str | None = None,
    **unknown: Any,
) -> Task:
    """Predict every decision of gold conversations from its gold history.

    Args:
        dataset: Conversations of one's own: a file, a folder of skills, `star:FOLDER` or
            `openai:FILE`; default: those that ship.
        split: `evaluation`, `validation`, `train` or `all`; default: `evaluation` of those that
            ship, all of others.
        predictor: Who decides: `model`, or one that needs none (`reference`, `silent`, `echo`,
            `repeat_last_call`, `most_frequent_call`, `perturbed:RATE`).
        judge_samples: Answers asked of each judge; the majority is its vote.
        judge_tie: What an even vote says: `fail`, `pass` or `unscored`.
        rubric: A rubric file of one's own; default: the protocol's.
        **unknown: Anything else is refused.
    """
    with faults_as_one_line():
        refuse_unknown_options(gold_history, unknown)
        require_reachable()
        open_predictor(predictor)
        place = conversation_place(dataset)
        source = open_conversations(place)
        ids = conversations_of_split(source, split, is_shipped=place is None)
        samples = decision_dataset(source, ids)
        judges = turn_judge_of_run(judge_samples, judge_tie, rubric)
    return Task(
        dataset=samples,
        solver=next_action(source=place, predictor=predictor),
        scorer=[rouge_1(), strict_tool(), *judges, spend()],
        epochs=Epochs(1, "mean"),
        version=int(TASK_VERSION),
        metadata=run_metadata(source.notes),
    )
