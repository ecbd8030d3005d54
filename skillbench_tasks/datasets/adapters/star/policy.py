"""The wizard's flowchart as a page that a model can act on; the words around it are ours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from skillbench_tasks.datasets.adapters.star.reading import Flow

__all__ = ["policy_page"]

_HEAD = """\
You are an assistant that helps one person in a text chat. Your task here: {task}.

You follow the course below. Where the talk leaves it, answer in its spirit and come back to it.

- Find things out and act only through your tools; say nothing that neither the person nor an \
answer of a tool has told you.
- Give a tool what the person has said, and only that.
- When you write a message without calling a tool, it goes to the person and it is their turn. \
Keep to the ready messages where one fits; what stands in braces comes from the answer of a tool \
or from the person.
"""

_HEAD_WITHOUT_COURSE: Final = """\
You are an assistant that helps one person in a text chat. Your task here: {task}.

- Ask for what a tool needs and the person has not said, one thing after another; then call it.
- Find things out and act only through your tools; say nothing that neither the person nor an \
answer of a tool has told you.
- When you write a message without calling a tool, it goes to the person and it is their turn.
"""

_START: Final = "hello"
_OUTCOMES: Final = ("query_success", "query_failure")
_SENTENCE_ENDS: Final = (".", "!", "?")
"""End the label of a node that is a message; the label of a branch is a word or two."""

_FACT = re.compile(r"^\s*[*-]\s*(.+?)\s*$", re.M)
_FORMAT = re.compile(r"\{(\w+):[^{}]*\}")
_BARE: Final = r"{\1}"


def policy_page(tasks: Sequence[tuple[str, Flow | None]], instructions: str) -> str:
    """Return the policy of a dialogue.

    Args:
        tasks: Names of its tasks, such as `hotel_search`, with their flowcharts where there is one.
        instructions: What the wizard was told; of that only the facts count (lines with `*`).
    """
    names = ", ".join(task.replace("_", " ") for task, _ in tasks)
    drawn_tasks = [(task, flow) for task, flow in tasks if flow is not None]
    head = _HEAD if drawn_tasks else _HEAD_WITHOUT_COURSE
    parts = [head.format(task=names)]
    facts = _FACT.findall(instructions)
    if facts:
        parts += ["# What you know", "\n".join(f"- {fact}" for fact in facts)]
    for task, flow in drawn_tasks:
        title = "# Course" if len(tasks) == 1 else f"# Course: {task.replace('_', ' ')}"
        parts += [title, "\n".join(_course(flow))]
        drawn = {*flow.graph, *flow.graph.values()}
        others = [text for node, text in flow.responses.items() if node not in drawn]
        if others:
            parts += ["# Further ready messages", "\n".join(f"- {_said(t)}" for t in others)]
    return "\n\n".join(part.strip() for part in parts)


def _course(flow: Flow) -> Iterator[str]:
    """Yield numbered lines: the chain from the greeting, then one for each branch of the chart."""
    numbers: dict[str, int] = {}
    followers = set(flow.graph.values())
    starts = [node for node in flow.graph if node not in followers]
    for start in sorted(starts, key=lambda node: node != _START):
        node: str | None = start
        while node is not None:
            if node in numbers:
                yield f"   Go on with step {numbers[node]}."
                break
            numbers[node] = len(numbers) + 1
            yield f"{numbers[node]}. {_line(flow, node)}"
            node = flow.graph.get(node)


def _line(flow: Flow, node: str) -> str:
    label = flow.replies.get(node, node).strip()
    if node in flow.responses or label.endswith(_SENTENCE_ENDS):
        return f"Say: {_said(flow.responses.get(node, label))}"
    if node.startswith("query") and node not in _OUTCOMES:
        kind = label.removeprefix("Query").strip().lower()
        return f"Call the tool{f' ({kind})' if kind else ''}."
    return f'In case of "{label}":'


def _said(template: str) -> str:
    return f'"{" ".join(_FORMAT.sub(_BARE, template).split())}"'
