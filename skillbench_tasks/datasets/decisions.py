"""Decisions of recorded conversations as Inspect samples; histories are shared, never copied."""

from __future__ import annotations

import json
from collections.abc import Iterable

from inspect_ai.dataset import MemoryDataset, Sample

from skillbench_tasks.datasets.conversations import ConversationSource
from skillbench_tasks.datasets.splits import Split, load_splits, novelty_of
from skillbench_tasks.errors import OptionError
from skillbench_tasks.models.conversation import CalledTool, Conversation, Decision, Said
from skillbench_tasks.models.prediction_record import DECISION_KEY
from skillbench_tasks.task_options import require_choice

__all__ = ["conversations_of_split", "decision_dataset"]

_SHOWN_CHARACTERS = 500


def conversations_of_split(
    source: ConversationSource, split: str | None, *, is_shipped: bool
) -> list[str]:
    """Return the ids of the conversations of a split.

    Args:
        source: Where the conversations come from.
        split: A split of the shipped conversations, or `all`; default: `evaluation` for these,
            all for others.
        is_shipped: Whether the source is what ships: only that is split.

    Raises:
        OptionError: There is no such split, or these conversations have none.
    """
    wanted = split or (Split.EVALUATION if is_shipped else "all")
    require_choice("split", wanted, [*Split, "all"])
    if wanted == "all":
        return list(source.ids())
    if not is_shipped:
        raise OptionError("-T split", "only the shipped conversations are split", "leave it out")
    return list(load_splits().ids(Split(wanted)))


def decision_dataset(source: ConversationSource, ids: Iterable[str]) -> MemoryDataset:
    """Return one sample for each decision.

    The input is the message that stands before it, the target the reference. The model's input is
    made of the conversation when the sample runs: no sample holds a history.

    Args:
        source: Where the conversations come from.
        ids: Which of them.
    """
    samples = []
    for conversation in (source.conversation(one) for one in ids):
        tools = json.dumps([tool.model_dump(mode="json") for tool in conversation.tools])
        samples += [_sample(conversation, one, tools) for one in conversation.decisions]
    return MemoryDataset(samples, name=source.name)


def _sample(conversation: Conversation, decision: Decision, tools: str) -> Sample:
    reference = conversation.steps[decision.step]
    steps = conversation.steps[decision.step : decision.step + decision.size]
    is_call = isinstance(reference, CalledTool)
    is_optional = is_call and all(
        one.tool in conversation.optional_tools for one in conversation.calls(decision)
    )
    metadata = {
        "conversation": conversation.id,
        "skill": conversation.workflow,
        "kind": conversation.kind,
        "novelty": novelty_of(conversation) if conversation.case else "foreign",
        "action": "tool" if is_call else "text",
        "number": decision.number,
        DECISION_KEY: {
            "json": reference.model_dump_json(),
            "beside": [one.model_dump_json() for one in conversation.calls(decision)[1:]],
            "optional": is_optional,
            "tools": tools,
        },
    }
    return Sample(
        id=decision.id,
        input=_before(conversation, decision),
        target="\n".join(map(_shown, steps)),
        metadata=metadata,
    )


def _before(conversation: Conversation, decision: Decision) -> str:
    if decision.step == 0:
        return "(The conversation begins.)"
    return _shown(conversation.steps[decision.step - 1])


def _shown(step: Said | CalledTool) -> str:
    if isinstance(step, Said):
        return step.text
    answer = step.result if step.error is None else step.error.model_dump(mode="json")
    call = f"{step.tool}({json.dumps(step.arguments, ensure_ascii=False)})"
    return f"{call} → {json.dumps(answer, ensure_ascii=False)}"[:_SHOWN_CHARACTERS]
