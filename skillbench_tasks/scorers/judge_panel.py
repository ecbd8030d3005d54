"""Protocol A's judges: several models grade each conversation (`spec/skill-execution.md`).

Every judge answers by the rubric; code computes the overall pass from its fields and from the
three rules. A verdict that cannot be had is unscored, never low. `inspect score` judges a finished
log anew: all that is needed stands in the sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from inspect_ai.model import ResponseSchema
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import JSONSchema

from skillbench_tasks.models import DIMENSIONS, JudgeVerdict, State, Unscored
from skillbench_tasks.scorers.judge_prompt import case_file, skill_page, transcript_texts
from skillbench_tasks.scorers.judge_verdict import read_verdict, verdict_schema
from skillbench_tasks.scorers.judged_texts import JudgedTexts
from skillbench_tasks.scorers.judges import (
    AnswerForm,
    Judge,
    Question,
    ask_all,
    judges_of_run,
    where_judged,
)
from skillbench_tasks.scorers.panel import PANEL_PASS, JudgeVote, TieRule, panel_values
from skillbench_tasks.scorers.panel_metrics import judge_agreement
from skillbench_tasks.scorers.panel_settings import (
    TIMEOUT_SECONDS,
    UNSCORED_MAX,
    panel_settings,
)
from skillbench_tasks.scorers.rubric import Rubric, load_rubric
from skillbench_tasks.scorers.rules import rules_verdict
from skillbench_tasks.scorers.shells import stderr_by_skill
from skillbench_tasks.scorers.stored import has_conversation, read_brief, read_case

__all__ = ["UNSCORED_MAX", "judge_panel", "panel_of_run"]

_SCHEMA: Final = ResponseSchema(
    name="verdict", json_schema=JSONSchema.model_validate(verdict_schema()), strict=True
)


@scorer(metrics=[judge_agreement(), {"*": [mean(), stderr_by_skill()]}])
def judge_panel(
    samples: int = 1,
    tie: str = TieRule.FAIL,
    rubric: str | None = None,
    max_unscored: float = UNSCORED_MAX,
    timeout: int = TIMEOUT_SECONDS,
) -> Scorer:
    """Grade a conversation by every model in the role `judge`; without that role there is no score.

    Nor is there one for a conversation that an error broke off: it says nothing of the agent.

    The value holds `panel_pass`, `pass:<judge>@<rubric version>` and each dimension, over judges
    and for each judge (1–5; `hallucinated_action` 0 or 1). `NaN` is unscored.

    Args:
        samples: Answers asked of each judge; its vote is their majority.
        tie: What an even vote says: `fail`, `pass` or `unscored`.
        rubric: A rubric file of one's own; default: the protocol's.
        max_unscored: Share of verdicts that may be missing, from 0 to 1.
        timeout: Seconds after which a judge's call is given up.

    Raises:
        OptionError: An option is off its range.
        DataError: The rubric cannot be read.
    """
    page = load_rubric(Path(rubric) if rubric else None)
    settings = panel_settings(
        page, samples=samples, tie=tie, max_unscored=max_unscored, timeout=timeout
    )

    async def score(state: TaskState, target: Target) -> Score | None:
        return await _grade(state, judges_of_run(timeout), page, settings)

    return score


async def _grade(
    state: TaskState, judges: Sequence[Judge], page: Rubric, settings: Mapping[str, Any]
) -> Score | None:
    if not judges or not has_conversation(state):
        return None
    import_module("skillbench_tasks.scorers.panel_bound")
    checks, episode = read_case(state)
    if episode.termination.state is State.UNFINISHED:  # an error of ours or a provider's
        return None
    failures, brief = rules_verdict(checks, episode).reasons, read_brief(state)
    judged = JudgedTexts(tuple(transcript_texts(episode)), (page.text,))
    question = Question(
        f"{page.text}\n\n{skill_page(brief)}",
        case_file(brief, episode, failures),
        AnswerForm(_SCHEMA, lambda text, key: read_verdict(text, judged, key)),
    )
    answers = await ask_all(judges, question, settings["samples"])
    tie = TieRule(settings["tie"])
    votes = {
        f"{name}@{page.version}": JudgeVote(given, failures, tie) for name, given in answers.items()
    }
    identities = {judge.name: judge.identity for judge in judges}
    told = {"judges": identities, "hard_failures": list(failures), **settings}
    return _score(votes, tie, told)


def _score(votes: Mapping[str, JudgeVote], tie: TieRule, settings: Mapping[str, Any]) -> Score:
    values = panel_values(votes, tie)
    passed = values[PANEL_PASS]
    answers = {
        name: [one.model_dump(mode="json") for one in vote.answers] for name, vote in votes.items()
    }
    return Score(
        value=dict(values),
        answer={1.0: "pass", 0.0: "fail"}.get(passed, "unscored"),
        explanation="\n\n".join(_lines(name, vote) for name, vote in votes.items()),
        reason=None if passed == passed else "too few judges gave a verdict",
        metadata={"answers": answers, **settings},
    )


def _lines(name: str, vote: JudgeVote) -> str:
    shown = {True: "pass", False: "fail", None: "unscored"}[vote.passed]
    return "\n".join([f"**{name}: {shown}**", *(_line(answer) for answer in vote.answers)])


def _line(answer: JudgeVerdict | Unscored) -> str:
    if isinstance(answer, Unscored):
        return f"unscored ({answer.reason}): {answer.detail}"
    grades = ", ".join(f"{name} {getattr(answer, name)}" for name in DIMENSIONS)
    acted = "; hallucinated action" if answer.hallucinated_action else ""
    return f"{answer.task_completion}; {grades}{acted}. {answer.rationale}"


def panel_of_run(samples: int, tie: str, rubric: str | None) -> list[Scorer]:
    """Return the panel as a task's scorer, or nothing where the run surely has no judge."""
    return where_judged(judge_panel(samples=samples, tie=tie, rubric=rubric))
