"""A panel of judges that label: asked, counted, and written down alike for turns and replays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Generic

from inspect_ai.model import ResponseSchema
from inspect_ai.scorer import Score
from inspect_ai.util import JSONSchema

from skillbench_tasks.models.judgement import FailureT, Label, LabelVerdict, Unscored
from skillbench_tasks.scorers.judge_lines import CaseFile
from skillbench_tasks.scorers.judged_texts import JudgedTexts
from skillbench_tasks.scorers.judges import AnswerForm, Judge, Question, ask_all, judges_of_run
from skillbench_tasks.scorers.label_verdict import Labels
from skillbench_tasks.scorers.panel import TieRule, majority, panel_pass, vote_value
from skillbench_tasks.scorers.panel_metrics import PASS_PREFIX
from skillbench_tasks.scorers.panel_settings import panel_settings
from skillbench_tasks.scorers.rubric import load_rubric

__all__ = ["JUDGE_TEMPERATURE", "Ballot", "LabelPanel", "LabelVote"]

JUDGE_TEMPERATURE: Final = 0.0
"""Temperature of judges whose role names none (source: protocol B, ii)."""


class LabelVote(Generic[FailureT]):
    """One judge's answers about one case, counted; what code finds has no part in it.

    Args:
        answers: One for each sample of the judge.
        tie: The tie rule.
    """

    def __init__(self, answers: Sequence[LabelVerdict[FailureT] | Unscored], tie: TieRule) -> None:
        self.answers = tuple(answers)
        labels = [one.label for one in answers if not isinstance(one, Unscored)]
        self.passes = tuple(one is Label.PASS for one in labels)
        self.passed = majority(self.passes, tie)


class Ballot(Generic[FailureT]):
    """All votes about one case.

    Args:
        votes: The votes, by judge and rubric version.
        tie: The tie rule.
        told: What the score says of judges and settings.
    """

    def __init__(
        self, votes: Mapping[str, LabelVote[FailureT]], tie: TieRule, told: Mapping[str, Any]
    ) -> None:
        self.votes, self._told = votes, told
        self.passed = panel_pass([vote.passed for vote in votes.values()], tie)

    def score(self, values: Mapping[str, float], about: Mapping[str, Any] | None = None) -> Score:
        """Return the score: rows of the panel, then the vote of each judge.

        Args:
            values: The rows of the panel.
            about: What else the score's metadata say.
        """
        votes = {f"{PASS_PREFIX}{name}": self.votes[name].passed for name in sorted(self.votes)}
        answers = {
            name: [one.model_dump(mode="json") for one in vote.answers]
            for name, vote in self.votes.items()
        }
        return Score(
            value={**values, **{name: vote_value(vote) for name, vote in votes.items()}},
            answer=_shown(self.passed),
            explanation="\n\n".join(_lines(name, vote) for name, vote in self.votes.items()),
            reason=None if self.passed is not None else "too few judges gave a verdict",
            metadata={"answers": answers, **self._told, **(about or {})},
        )


class LabelPanel(Generic[FailureT]):
    """Judges that label by one rubric; its options are those of the scorers.

    Args:
        labels: Verdicts and their categories.
        rubric: The rubric's file.
        samples: Answers asked of each judge.
        tie: What an even vote says.
        max_unscored: Share of verdicts that may be missing.
        timeout: Seconds after which a judge's call is given up.

    Raises:
        OptionError: An option is off its range.
        DataError: The rubric cannot be read.
    """

    def __init__(
        self,
        labels: Labels[FailureT],
        rubric: Path,
        *,
        samples: int,
        tie: str,
        max_unscored: float,
        timeout: int,
    ) -> None:
        self._labels, self._page = labels, load_rubric(rubric)
        self._settings = panel_settings(
            self._page, samples=samples, tie=tie, max_unscored=max_unscored, timeout=timeout
        )
        self._samples, self._tie, self._timeout = samples, TieRule(tie), timeout
        self._schema = ResponseSchema(
            name="verdict", json_schema=JSONSchema.model_validate(labels.schema()), strict=True
        )

    def judges(self) -> list[Judge]:
        """Return the judges of the run; none where the role is not given."""
        return judges_of_run(self._timeout, JUDGE_TEMPERATURE)

    async def vote(self, judges: Sequence[Judge], case: CaseFile) -> Ballot[FailureT]:
        """Put a case before judges.

        Args:
            judges: Who is asked.
            case: What they read.
        """
        import_module("skillbench_tasks.scorers.panel_bound")
        judged = JudgedTexts(case.texts, (self._page.text,))
        question = Question(
            f"{self._page.text}\n\n{case.page}",
            case.case,
            AnswerForm(self._schema, lambda text, key: self._labels.read(text, judged, key)),
        )
        answers = await ask_all(judges, question, self._samples)
        votes = {
            f"{name}@{self._page.version}": LabelVote(given, self._tie)
            for name, given in answers.items()
        }
        told: dict[str, Any] = {"judges": {judge.name: judge.identity for judge in judges}}
        return Ballot(votes, self._tie, {**told, **self._settings})


def _shown(passed: bool | None) -> str:
    return {True: "pass", False: "fail", None: "unscored"}[passed]


def _lines(name: str, vote: LabelVote[FailureT]) -> str:
    return "\n\n".join([f"**{name}: {_shown(vote.passed)}**", *map(_line, vote.answers)])


def _line(answer: LabelVerdict[FailureT] | Unscored) -> str:
    if isinstance(answer, Unscored):
        return f"unscored ({answer.reason}): {answer.detail}"
    category = "" if answer.label is Label.PASS else f" ({answer.failure_category})"
    return f"{answer.label}{category}: {answer.rationale}"
