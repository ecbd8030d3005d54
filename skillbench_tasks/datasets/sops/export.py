"""Training pairs: a specification with 64 tool cards → the canonical workflow.

Source: protocol C, training route. Pairs are made of the choices of the families that do not ship:
never of a SOP of the benchmark, though of the same families. A pair has the cards of the tools that
the workflow needs and
distractors, in an order that hangs on the SOP alone; targets are parsed, normalised and checked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import IO, Any, Final

from skillbench_tasks.datasets.sops.ledger import nodes_of
from skillbench_tasks.datasets.sops.loading import assembled, load_sops, spare_drafts
from skillbench_tasks.datasets.sops.loading import families as all_families
from skillbench_tasks.datasets.sops.references import unlabelled
from skillbench_tasks.datasets.sops.running import signatures
from skillbench_tasks.datasets.sops.specification import cards_of, language_page, specification
from skillbench_tasks.errors import DataError
from skillbench_tasks.models.sop import Sop
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.normal_forms import without_notations
from skillbench_tasks.tools.workflow import validate

__all__ = ["CARDS", "training_pair", "write_orchestration"]

CARDS: Final = 64
"""Tool cards in a pair."""


def training_pair(sop: Sop) -> dict[str, Any]:
    """Return one pair in chat form.

    `messages` holds instructions and specification, `completion` the workflow as JSON text,
    `canonical` and `tool_cards` the same for `workflow_reward`, as JSON texts.

    Args:
        sop: The SOP.

    Raises:
        DataError: Its workflow is not valid.
    """
    target = unlabelled(sop.program)
    findings = validate(target, signatures(), dialogue=False)
    if findings:
        raise DataError(sop.id, findings[0].path, findings[0].message, "mend the family")
    names = _cards(sop)
    specs = [connectors.tools()[name].spec for name in names]
    system = f"{language_page()}\n\n# Tools\n\n{cards_of(specs)}"
    text = json.dumps(target, ensure_ascii=False)
    cards = [
        {
            "name": s.full_name,
            "input_schema": without_notations(s.input_schema),
            "output_schema": s.output_schema,
        }
        for s in specs
    ]
    return {
        "sop": sop.id,
        "prompt": [
            {"role": "system", "content": system},
            {"role": "user", "content": specification(sop)},
        ],
        "completion": [{"role": "assistant", "content": text}],
        "canonical": _canonical(sop),
        "tool_cards": json.dumps(cards, ensure_ascii=False),
    }


def _cards(sop: Sop) -> list[str]:
    """Return the tools of a pair: those needed, then others, shuffled by the SOP's id."""
    needed = {
        str(node["tool"]) for node in nodes_of(sop.program["steps"]) if node["kind"] == "call"
    }
    others = sorted(set(connectors.tools()) - needed, key=lambda name: _draw(sop.id, name))
    chosen = [*needed, *others[: CARDS - len(needed)]]
    return sorted(chosen, key=lambda name: _draw(sop.id, "order", name))


def _draw(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def write_orchestration(out: IO[bytes], families: frozenset[str] = frozenset()) -> int:
    """Write training pairs as JSON Lines and return how many.

    Args:
        out: Where to.
        families: Only these families; empty: all.
    """
    count = 0
    for line in _lines(families):
        out.write(line.encode())
        count += 1
    return count


def _lines(families: frozenset[str]) -> Iterator[str]:
    shipped = {_canonical(sop) for sop in load_sops()}
    for family in all_families():
        if families and family.name not in families:
            continue
        for sop_id, draft in spare_drafts(family):
            sop = assembled(sop_id, family.name, draft)
            if _canonical(sop) not in shipped:
                yield json.dumps(training_pair(sop), ensure_ascii=False) + "\n"


def _canonical(sop: Sop) -> str:
    return json.dumps(unlabelled(sop.program), ensure_ascii=False, sort_keys=True)
