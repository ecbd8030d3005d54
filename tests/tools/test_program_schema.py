"""The JSON Schema and the card of the workflow language, which models read, agree with the parser."""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from skillbench_tasks.datasets.sops.loading import drafts_of, families
from skillbench_tasks.datasets.sops.references import unlabelled
from skillbench_tasks.datasets.sops.specification import language_page
from skillbench_tasks.tools.workflow import Program, parse_program

SCHEMA = json.loads(
    files("skillbench_tasks.tools.workflow").joinpath("program.schema.json").read_text("utf-8")
)
SHAPE = Draft202012Validator(SCHEMA)
BEYOND = {
    "bad_expression",
    "bad_path",
    "bad_rule",
    "bad_schema",
    "operand_count",
    "unknown_operator",
}
"""What no JSON Schema of a workflow can say: the inside of expressions, rules and other schemas."""
PROGRAMS = [dict(draft.program) for family in families() for _, draft in drafts_of(family)]
VALUES: tuple[Any, ...] = (
    None, True, 0, 1, 1.5, "", "x", "X y", [], ["a"], {}, {"a": 1}, "mcp.a:b",
)  # fmt: skip
DOCS = Path(__file__).parents[2] / "docs" / "workflow-language.md"


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(part, (*place, key))


def _mutant(program: Any, rng: random.Random) -> Any:
    """Return a workflow with one key left out, added, renamed, or given another value."""
    made = copy.deepcopy(program)
    place = rng.choice(list(_places(made))[1:])
    holder = made
    for key in place[:-1]:
        holder = holder[key]
    key = place[-1]
    match rng.choice(("leave out", "add", "rename", "replace")):
        case "leave out":
            del holder[key]
        case "add" if isinstance(holder, dict):
            holder[rng.choice(("extra", "note", "id", "as", "else", "kind", "value"))] = rng.choice(
                VALUES
            )
        case "rename" if isinstance(holder, dict):
            holder[f"{key}_"] = holder.pop(key)
        case _:
            holder[key] = copy.deepcopy(rng.choice(VALUES))
    return made


def test_schema_takes_every_reference() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for program in PROGRAMS:
        assert SHAPE.is_valid(unlabelled(program))
        assert SHAPE.is_valid(program)  # with notes


def test_schema_and_parser_agree_on_mutants() -> None:
    rng = random.Random(5)
    seen: Counter[bool] = Counter()
    for _ in range(200):
        mutant = _mutant(rng.choice(PROGRAMS), rng)
        parsed = parse_program(mutant, dialogue=False)
        codes = set() if isinstance(parsed, Program) else {one.code for one in parsed}
        if codes != {"bad_schema"}:  # a value that is no schema at all, or a schema with a fault
            assert SHAPE.is_valid(mutant) == (not codes - BEYOND), (codes, mutant)
        seen[SHAPE.is_valid(mutant)] += 1
    assert min(seen.values()) > 50  # both sides are tried


def test_card_names_every_kind_and_operator_of_the_reference_page() -> None:
    card, page = language_page(), DOCS.read_text("utf-8")
    rows = re.findall(
        r"^\| (`[^|]*`) \|", page.partition("## 4. Rules")[2].partition("\n## 5")[0], re.M
    )
    operators = {name for row in rows for name in re.findall(r"`([^`]+)`", row)} - {"===", "!=="}
    assert len(operators) > 30
    assert [
        name for name in sorted(operators) if not re.search(rf'(?<![\w"])"{re.escape(name)}"', card)
    ] == []
    for kind in ("call", "if", "for_each", "try", "set", "return"):
        assert f'{{"kind": "{kind}"' in card
    reserved = re.search(r"at most 64 characters\. (.*?) are reserved", page, re.S)
    assert reserved is not None
    for name in re.findall(r"`(\w+)`", reserved[1]):
        assert f"`{name}`" in card


def test_card_examples_are_read_by_the_parser() -> None:
    for line in language_page().splitlines():
        if line.strip().startswith('{"kind"'):
            text = line.replace("EXPRESSION", "[]").replace("RULE", "true")
            text = re.sub(r"\[NODE, \.\.\.\]", "[]", text).replace("SERVER:TOOL", "a:b")
            parsed = parse_program({"version": 1, "steps": [json.loads(text)]}, dialogue=False)
            assert isinstance(parsed, Program), (line, parsed)
