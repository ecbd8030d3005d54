"""The append-only editor: a draft to which nodes are added one by one, each checked as it comes."""

from __future__ import annotations

import copy
import re
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.datasets.sops.running import signatures
from skillbench_tasks.datasets.sops.specification import blank_workflow
from skillbench_tasks.models import Model
from skillbench_tasks.models.sop import Sop
from skillbench_tasks.tools.workflow import validate
from skillbench_tasks.tools.workflow.messages import quoted

__all__ = ["Editor", "Proposal"]

_BLOCKS: Final = {"if": ("then", "else"), "for_each": ("do",), "try": ("do", "catch")}
_PLACE: Final = re.compile(r"steps(?:\[\d+\]\.(?:then|else|do|catch))*")
_STEP: Final = re.compile(r"\[(\d+)\]\.(then|else|do|catch)")


class Proposal(Model):
    """What became of a proposed node: where it stands now, or why it was refused."""

    place: str = ""
    problems: tuple[str, ...] = ()


class Editor:
    """A draft of a SOP's workflow; it starts as every plan of the SOP does.

    Args:
        sop: The SOP.
    """

    def __init__(self, sop: Sop) -> None:
        self._draft: dict[str, Any] = copy.deepcopy(blank_workflow(sop))

    @property
    def draft(self) -> dict[str, Any]:
        """The draft as a workflow."""
        return copy.deepcopy(self._draft)

    def add(self, block: JsonValue, node: JsonValue) -> Proposal:
        """Append a node to a block, or refuse it and leave the draft as it is.

        Args:
            block: Where: `steps`, `steps[2].then` …
            node: The node; its own blocks are empty.
        """
        if not isinstance(node, dict):
            return _refused("the node is no JSON object")
        kind = node.get("kind")
        filled = [name for name in _BLOCKS.get(str(kind), ()) if node.get(name)]
        if filled:
            return _refused(f"`{filled[0]}` must be empty: add its nodes one by one afterwards")
        draft = self.draft
        place = _find(draft, block)
        if place is None:
            return _refused(
                f"there is no block {quoted(block)}; blocks are named like steps[2].then"
            )
        place.append({**node, **{name: [] for name in _BLOCKS.get(str(kind), ())}})
        findings = validate(draft, signatures(), dialogue=False)
        if findings:
            return _refused(*(f"{one.path}: {one.message}" for one in findings))
        self._draft = draft
        return Proposal(place=f"{block}[{len(place) - 1}]")


def _find(draft: dict[str, Any], block: JsonValue) -> list[Any] | None:
    if not isinstance(block, str) or not _PLACE.fullmatch(block):
        return None
    found: Any = draft["steps"]
    for index, name in _STEP.findall(block):
        if len(index) > 6 or int(index) >= len(found):
            return None
        found = found[int(index)].get(name)
        if found is None:
            return None
    return found if isinstance(found, list) else None


def _refused(*problems: str) -> Proposal:
    return Proposal(problems=problems)
