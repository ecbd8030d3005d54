"""The specification of a SOP as a model reads it, and the cards of the tools."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from skillbench_tasks.datasets.sops.workspace import base_world
from skillbench_tasks.files import read_text
from skillbench_tasks.models import ToolSpec
from skillbench_tasks.models.sop import Sop
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.normal_forms import without_notations

__all__ = ["blank_workflow", "language_page", "specification", "tool_cards"]

_PAGES = Path(__file__).parent / "pages"


@cache
def language_page() -> str:
    """Return the reference card of the workflow language."""
    return read_text(_PAGES / "language.md").strip()


@cache
def tool_cards() -> str:
    """Return the cards of the 64 tools, one JSON object in each line, by name."""
    return cards_of(tool.spec for _, tool in sorted(connectors.tools().items()))


def cards_of(specs: Iterable[ToolSpec]) -> str:
    """Return cards of tools, one JSON object in each line.

    Args:
        specs: The tools.
    """
    return "\n".join(json.dumps(_card(spec), ensure_ascii=False) for spec in specs)


def _card(spec: ToolSpec) -> dict[str, Any]:
    card = {
        "tool": spec.full_name,
        "description": " ".join(spec.description.split()),
        "input_schema": without_notations(spec.input_schema),
    }
    return card if spec.output_schema is None else {**card, "output_schema": spec.output_schema}


def blank_workflow(sop: Sop) -> dict[str, Any]:
    """Return the workflow without a node from which plans of a SOP start.

    Args:
        sop: The SOP, whose inputs and output it declares.
    """
    blank: dict[str, Any] = {"version": 1, "inputs": sop.inputs}
    return {**blank, **({"output": sop.output} if sop.output is not None else {}), "steps": []}


def specification(sop: Sop) -> str:
    """Return what a model is told of a SOP: never its workflow, state, faults or inputs.

    Args:
        sop: The SOP.
    """
    return "\n\n".join(_parts(sop))


def _parts(sop: Sop) -> Iterator[str]:
    yield f"# {sop.title}\n\n{sop.description}"
    yield f"## Inputs\n\n{_json(sop.inputs)}"
    output = _json(sop.output) if sop.output is not None else "None is prescribed."
    yield f"## Output\n\n{output}"
    context = (f"The clock stands at {base_world().now} while it runs.", *sop.context)
    yield "## Context\n\n" + "\n".join(f"- {line}" for line in context)
    if sop.resources:
        lines = (
            f"- {one.name} ({one.kind}): {one.id}{'; ' + one.detail if one.detail else ''}"
            for one in sop.resources
        )
        yield "## Workspace\n\n" + "\n".join(lines)
    if sop.templates:
        lines = (
            f"- {one.name}: {json.dumps(one.text, ensure_ascii=False)}" for one in sop.templates
        )
        head = "Texts that go out word for word; braces stand for values.\n\n"
        yield "## Texts\n\n" + head + "\n".join(lines)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
