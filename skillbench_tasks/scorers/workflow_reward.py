"""The reward of a sampled workflow, without executing it: a plain function for TRL's GRPO trainer.

0 where the answer holds no JSON object that parses as a workflow (layer *shape*); else the sum of

| weight | part |
| --- | --- |
| 0.15 | 1 when the static validator finds nothing |
| 0.25 | 2 · LCS / (m + n) of the tool names, in the order in which the calls are written |
| 0.35 | aligned calls with equal arguments / calls of the canonical workflow |
| 0.15 | 2 · LCS / (m + n) of the node kinds, in the order in which they are written |
| 0.10 | 1 when the canonical JSON of the whole workflow is equal |

It is from 0 to 1, and 1 exactly for the canonical workflow. Canonical JSON sorts keys, writes
defaults out and integral numbers as integers, and leaves out `note`, which has no effect. Where two
empty lists are compared the part is 1, and so is the third where both have no call.

That is `workflow_reward`, as published. It says little of control flow: a negated condition costs
the last part alone. `control_flow_reward` multiplies it by 0.4 + 0.4 · agreement where the control
flow differs from the canonical one (`skillbench_tasks.scorers.control_agreement`): it is at most
0.8 then, and equal to the published reward where the control flow is the same.

Source: the published training route; the normaliser 2 / (m + n) and the empty cases are ours, and
so is `control_flow_reward`.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.errors import DataError
from skillbench_tasks.json_text import find_json_objects
from skillbench_tasks.scorers.control_agreement import control_agreement
from skillbench_tasks.scorers.sequence_alignment import aligned_pairs, lcs_similarity
from skillbench_tasks.scorers.workflow_nodes import call_nodes, placed_nodes
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.workflow.language import CallNode, Program
from skillbench_tasks.tools.workflow.parser import parse_program
from skillbench_tasks.tools.workflow.signatures import ToolSignature
from skillbench_tasks.tools.workflow.validator import validate

__all__ = [
    "REWARD_WEIGHTS",
    "control_flow_reward",
    "reward_of",
    "tool_signatures",
    "workflow_reward",
]

REWARD_WEIGHTS: Final[Mapping[str, float]] = {
    "valid": 0.15,
    "tools": 0.25,
    "arguments": 0.35,
    "kinds": 0.15,
    "exact": 0.10,
}
"""Weight of each part; together 1."""

_CONTROL_LEAST: Final = 0.4
_CONTROL_SHARE: Final = 0.4

_BLOCK_KEYS: Final = frozenset({"then", "else", "do", "catch"})

_Message: TypeAlias = Mapping[str, Any]

Completion: TypeAlias = str | Sequence[_Message]
"""A text, or the chat messages that the trainer's conversational form holds."""


def workflow_reward(
    completions: Sequence[Completion],
    canonical: Sequence[str | Mapping[str, JsonValue]],
    tool_cards: Sequence[str | Sequence[Mapping[str, Any]]] | None = None,
    **kwargs: Any,
) -> list[float]:
    """Return the reward of each completion, from 0 to 1.

    The trainer calls it with `prompts`, `completions`, the columns of the dataset, one value for
    each completion, and more; what is not named here is not looked at. Columns should hold JSON
    texts: Arrow would fill the keys that objects of other rows have.

    Args:
        completions: What the model wrote: texts, or lists of messages of which the last counts. A
            JSON object in it, fenced or not, is the workflow; of several the last.
        canonical: The canonical workflow of each completion's prompt.
        tool_cards: The tools that the prompt shows: objects with `name`, `input_schema` and maybe
            `output_schema`. None: the 64 tools of the SOPs, for every prompt.
        **kwargs: Whatever else the trainer hands over.

    Raises:
        DataError: A canonical workflow does not parse, or a tool card is incomplete.
        ValueError: The columns are not as long as the completions.
    """
    cases = _cases(completions, canonical, tool_cards)
    return [reward_of(text, target, tools) for text, target, tools in cases]


def control_flow_reward(
    completions: Sequence[Completion],
    canonical: Sequence[str | Mapping[str, JsonValue]],
    tool_cards: Sequence[str | Sequence[Mapping[str, Any]]] | None = None,
    **kwargs: Any,
) -> list[float]:
    """Return the published reward of each completion, lowered where its control flow differs.

    Args:
        completions: As for `workflow_reward`.
        canonical: As for `workflow_reward`.
        tool_cards: As for `workflow_reward`.
        **kwargs: Whatever else the trainer hands over.

    Raises:
        DataError: A canonical workflow does not parse, or a tool card is incomplete.
        ValueError: The columns are not as long as the completions.
    """
    cases = _cases(completions, canonical, tool_cards)
    return [
        reward_of(text, target, tools) * _control_factor(text, target)
        for text, target, tools in cases
    ]


def _control_factor(text: str, canonical: Program) -> float:
    written = _last_object(text)
    sampled = parse_program(written) if written is not None else None
    if not isinstance(sampled, Program):
        return 0.0
    blocks: list[Any] = [_integral(_normal_form(one))["steps"] for one in (canonical, sampled)]
    agreement = control_agreement(*blocks)
    return 1.0 if agreement == 1 else _CONTROL_LEAST + _CONTROL_SHARE * agreement


def _cases(
    completions: Sequence[Completion],
    canonical: Sequence[str | Mapping[str, JsonValue]],
    tool_cards: Sequence[str | Sequence[Mapping[str, Any]]] | None,
) -> list[tuple[str, Program, Mapping[str, ToolSignature]]]:
    """Return text, canonical workflow and tools of each completion."""
    if tool_cards is None:
        shown: list[Mapping[str, ToolSignature]] = [_all_signatures()] * len(completions)
    else:
        shown = [_signatures(_as_json(cards)) for cards in tool_cards]
    return [
        (_text_of(completion), _canonical(_as_json(target)), tools)
        for completion, target, tools in zip(completions, canonical, shown, strict=True)
    ]


def reward_of(text: str, canonical: Program, tools: Mapping[str, ToolSignature]) -> float:
    """Return the reward of one answer.

    Args:
        text: The answer.
        canonical: The canonical workflow.
        tools: Tools on offer, by full name.
    """
    written = _last_object(text)
    sampled = parse_program(written) if written is not None else None
    if not isinstance(sampled, Program):
        return 0.0
    is_exact = _canonical_json(_normal_form(sampled)) == _canonical_json(_normal_form(canonical))
    is_valid = not validate(written, tools, dialogue=False)
    if is_exact and is_valid:
        return 1.0
    wanted, made = ([node for node, _ in call_nodes(w)] for w in (canonical, sampled))
    kinds = [[placed.node.kind for placed in placed_nodes(w)] for w in (canonical, sampled)]
    parts = {
        "valid": float(is_valid),
        "tools": lcs_similarity([call.tool for call in wanted], [call.tool for call in made]),
        "arguments": _equal_arguments(wanted, made),
        "kinds": lcs_similarity(kinds[0], kinds[1]),
        "exact": float(is_exact),
    }
    return sum(weight * parts[name] for name, weight in REWARD_WEIGHTS.items())


def tool_signatures(cards: Sequence[Mapping[str, Any]]) -> dict[str, ToolSignature]:
    """Return what the validator needs to know of the tools that a prompt shows.

    Args:
        cards: Objects with `name` (`mcp.<server>:<tool>`), `input_schema`, maybe `output_schema`.

    Raises:
        DataError: A card has no name or no schema.
    """
    for index, card in enumerate(cards):
        if not isinstance(card.get("name"), str) or not isinstance(card.get("input_schema"), dict):
            where = f"[{index}]"
            raise DataError("tool_cards", where, "no name or input_schema", "give both")
    return {
        card["name"]: ToolSignature(card["input_schema"], card.get("output_schema"))
        for card in cards
    }


def _equal_arguments(wanted: Sequence[CallNode], made: Sequence[CallNode]) -> float:
    if not wanted:
        return 0.0 if made else 1.0
    texts = [[_canonical_json(node.arguments) for node in nodes] for nodes in (wanted, made)]
    pairs = aligned_pairs(
        [node.tool for node in wanted],
        [node.tool for node in made],
        lambda i, j: texts[0][i] == texts[1][j],
    )
    return sum(texts[0][i] == texts[1][j] for i, j in pairs) / len(wanted)


def _text_of(completion: Completion) -> str:
    """Return the text of a completion; of messages that of the last one."""
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else ""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _last_object(text: str) -> dict[str, JsonValue] | None:
    found = deque(find_json_objects(text), maxlen=1)
    return found[0] if found else None


def _as_json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@lru_cache(maxsize=256)
def _canonical(text: str) -> Program:
    try:
        program = parse_program(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise DataError("canonical", "", f"no JSON: {error}", "give a workflow") from error
    if not isinstance(program, Program):
        first = program[0]
        raise DataError("canonical", first.path, first.message, "give a workflow that parses")
    return program


@lru_cache(maxsize=256)
def _signatures(text: str) -> Mapping[str, ToolSignature]:
    try:
        cards = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError("tool_cards", "", f"no JSON: {error}", "give a list of cards") from error
    return tool_signatures(cards)


@lru_cache(maxsize=1)
def _all_signatures() -> Mapping[str, ToolSignature]:
    specs = [tool.spec for tool in connectors.tools().values()]
    return {s.full_name: ToolSignature(s.input_schema, s.output_schema) for s in specs}


def _normal_form(program: Program) -> JsonValue:
    """Return a workflow with its defaults written out, and without notes."""
    written = program.model_dump(mode="json", by_alias=True)
    return {**written, "steps": _without_notes(written["steps"])}


def _without_notes(block: list[dict[str, Any]]) -> list[JsonValue]:
    return [
        {
            key: _without_notes(part) if key in _BLOCK_KEYS else part
            for key, part in node.items()
            if key != "note"
        }
        for node in block
    ]


def _canonical_json(value: JsonValue | Mapping[str, JsonValue]) -> str:
    return json.dumps(_integral(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _integral(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _integral(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_integral(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
