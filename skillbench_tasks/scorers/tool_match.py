"""Strict tool correctness: is the predicted call the reference call, and how much of it is?

For one decision whose reference is a call, with the predicted call `p` and the reference `r`
(source: `docs/turn-metrics.md`; a plausible other action earns nothing):

- `function_name`: `p` calls the function of `r`.
- `argument_f1`: 0 where it does not; else `2 |P ∩ R| / (|P| + |R|)` over the leaves `P` and `R` of
  the arguments (`skillbench_tasks.tools.call_forms`), and 1 where both have none. The value is
  1 - Dice distance; on flat arguments it is the F1 of (name, value) pairs.
- `exact`: the same function and the same leaves, and no further call beside it. So a single call
  is exact exactly when its F1 is 1.

Where the reference is a *decision set* (calls of one message), calls are compared in any order and
as often as they stand: `exact` is the same calls, `function_name` the same functions, and
`argument_f1` is 2 Σ F1 / (made + expected) over pairs of one made and one expected call each.

Right arguments for another function count 0: a key such as `customer_id` fits most functions, and
credit for it would reward any call that is about the right customer.

No call where one is due is 0 on all three, counted apart. Where the reference is a text there is
nothing to compare: no value, whatever was predicted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from skillbench_tasks.models import Model
from skillbench_tasks.models.conversation import CalledTool, Said
from skillbench_tasks.tools.call_forms import ANYWHERE, CallForms, Leaves, ToolUse
from skillbench_tasks.tools.prediction import Flag, Prediction

__all__ = [
    "CallsMatch",
    "ToolMatch",
    "ToolTotals",
    "argument_f1",
    "match_call",
    "match_calls",
    "match_prediction",
    "total",
]


class ToolMatch(Model):
    """How a prediction compares with a reference call; `reason` says why it is not exact."""

    exact: bool
    function_name: bool
    argument_f1: float
    has_call: bool = True
    reason: str = ""


class CallsMatch(Model):
    """How a list of calls compares with a list of reference calls, in any order.

    `matched` counts pairs of equal calls. With m made and e expected calls, `call_f1` is
    2 matched / (m + e); `name_f1` is the same over function names alone. `argument_f1` is
    2 Σ F1 / (m + e) over pairs of one made and one expected call each: equal calls first, the rest
    so that the sum is greatest.
    """

    made: int
    expected: int
    matched: int
    verdict: Literal["right", "partial", "over", "wrong"]
    call_f1: float
    name_f1: float
    argument_f1: float

    @property
    def exact(self) -> bool:
        """Whether the same calls were made, each as often."""
        return self.verdict == "right"


class ToolTotals(Model):
    """Means over tool decisions (0–1; `None`: there are none), with what was counted.

    `without_call` decisions are in the means, as 0; decisions whose reference is a text are not.
    """

    tool_decisions: int
    text_decisions: int
    without_call: int
    exact: float | None
    function_name: float | None
    argument_f1: float | None


def match_prediction(
    forms: CallForms,
    prediction: Prediction,
    reference: Said | CalledTool,
    beside: Sequence[CalledTool] = (),
) -> ToolMatch | None:
    """Return how a prediction compares with the reference of its decision.

    Args:
        forms: Forms of the tools that were offered.
        prediction: The model's output as it is read.
        reference: What the gold conversation does.
        beside: The further calls of its decision set, if it is one.

    Returns:
        `None` where the reference is a text: strict tool correctness does not apply.
    """
    if isinstance(reference, Said):
        return None
    if prediction.call is None:
        is_written = Flag.CALL_AS_TEXT in prediction.flags
        reason = f"no call: {'one written as text' if is_written else prediction.action}"
        return ToolMatch(
            exact=False, function_name=False, argument_f1=0.0, has_call=False, reason=reason
        )
    if beside:
        return _match_set(forms, prediction.calls, (reference, *beside))
    match = match_call(forms, prediction.call, reference)
    if match.exact and len(prediction.calls) > 1:
        reason = f"{len(prediction.calls)} calls instead of one"
        return match.model_copy(update={"exact": False, "reason": reason})
    return match


def _match_set(
    forms: CallForms, predicted: Sequence[ToolUse], reference: Sequence[ToolUse]
) -> ToolMatch:
    found = match_calls(forms, predicted, reference)
    assert found is not None  # the reference makes calls
    reason = f"{found.matched} of {found.expected} calls, {found.made} made ({found.verdict})"
    return ToolMatch(
        exact=found.exact,
        function_name=found.name_f1 == 1,
        argument_f1=found.argument_f1,
        reason="" if found.exact else reason,
    )


def match_call(forms: CallForms, predicted: ToolUse, reference: ToolUse) -> ToolMatch:
    """Return how one call compares with one reference call."""
    if predicted.tool != reference.tool:
        reason = f"{predicted.tool} instead of {reference.tool}"
        return ToolMatch(exact=False, function_name=False, argument_f1=0.0, reason=reason)
    if predicted.arguments is None:
        reason = "the arguments cannot be read"
        return ToolMatch(exact=False, function_name=True, argument_f1=0.0, reason=reason)
    got, want = forms.leaves(predicted), forms.leaves(reference)
    reason = "" if got == want else _difference(got, want)
    value = argument_f1(got, want)
    return ToolMatch(exact=got == want, function_name=True, argument_f1=value, reason=reason)


def argument_f1(predicted: Leaves, reference: Leaves) -> float:
    """Return the F1 of two sets of leaves, 0–1; two empty ones agree."""
    size = len(predicted) + len(reference)
    return 2 * len(predicted & reference) / size if size else 1.0


def match_calls(
    forms: CallForms, predicted: Sequence[ToolUse], reference: Sequence[ToolUse]
) -> CallsMatch | None:
    """Return how the calls made compare with those expected; duplicates count, order does not.

    Returns:
        `None` where none was made and none is expected: there is nothing to compare.
    """
    size = len(predicted) + len(reference)
    if not size:
        return None
    got, want = (Counter(map(forms.form, calls)) for calls in (predicted, reference))
    both = (got & want).total()
    extra, missing = len(predicted) - both, len(reference) - both
    names = Counter(call.tool for call in predicted) & Counter(call.tool for call in reference)
    rest = _best_sum(list((got - want).elements()), list((want - got).elements()))
    return CallsMatch(
        made=len(predicted),
        expected=len(reference),
        matched=both,
        verdict=_verdict(missing, extra),
        call_f1=2 * both / size,
        name_f1=2 * names.total() / size,
        argument_f1=2 * (both + rest) / size,
    )


def total(matches: Iterable[ToolMatch | None]) -> ToolTotals:
    """Return the means over decisions; one without a value (`None`) is a text decision."""
    every = list(matches)
    tool = [match for match in every if match is not None]
    return ToolTotals(
        tool_decisions=len(tool),
        text_decisions=len(every) - len(tool),
        without_call=sum(not match.has_call for match in tool),
        exact=_mean([match.exact for match in tool]),
        function_name=_mean([match.function_name for match in tool]),
        argument_f1=_mean([match.argument_f1 for match in tool]),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _verdict(missing: int, extra: int) -> Literal["right", "partial", "over", "wrong"]:
    if missing:
        return "wrong" if extra else "partial"
    return "over" if extra else "right"


def _best_sum(got: Sequence[tuple[str, Leaves]], want: Sequence[tuple[str, Leaves]]) -> float:
    """Return the greatest sum of F1 over pairs; a call is in one pair at most."""
    values = [[argument_f1(a, b) if f == g else 0.0 for g, b in want] for f, a in got]
    if not got or not want or not any(map(any, values)):
        return 0.0
    from scipy.optimize import linear_sum_assignment  # slow to import, and seldom needed

    rows, columns = linear_sum_assignment(values, maximize=True)
    return float(sum(values[row][column] for row, column in zip(rows, columns, strict=True)))


def _difference(got: Leaves, want: Leaves) -> str:
    """Return the arguments that differ, by path."""
    paths = {
        ".".join("*" if step == ANYWHERE else str(step) for step in path) for path, _ in got ^ want
    }
    return f"arguments differ: {', '.join(sorted(paths))}"
