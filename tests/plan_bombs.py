"""Answers that would cost without end to read, check or run: a fixed table, and random ones."""

from __future__ import annotations

import json
import random
from typing import Any, Final

__all__ = ["FIXED", "random_bomb"]

CHARACTERS_MAX: Final = 5_000_000
TOOLS: Final = ("mcp.people:find_employees", "mcp.warehouse:run_query", "mcp.tracker:find_issues")
OPERATORS: Final = (
    "sum",
    "length",
    "merge",
    "map",
    "filter",
    "all",
    "some",
    "none",
    "reduce",
    "in",
)


def _set(value: Any, name: str = "v") -> dict[str, Any]:
    return {"kind": "set", "name": name, "value": value}


def _give(value: Any) -> dict[str, Any]:
    return {"kind": "return", "value": value}


def _loops(depth: int, body: list[Any], width: int = 10) -> list[Any]:
    for level in range(depth):
        items = list(range(width))
        body = [{"kind": "for_each", "items": items, "as": f"x{level}", "do": body}]
    return body


def _plan(steps: list[Any], **further: Any) -> str:
    return json.dumps({"version": 1, **further, "steps": steps})


def _inputs(**further: Any) -> str:
    return _plan([_give("${inputs.a}")], inputs={"a": further})


def _doubling(count: int) -> dict[str, Any]:
    """A schema whose references double at each of `count` levels."""
    places = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(count)}
    return {"$defs": {**places, f"a{count}": {"type": "string"}}, "$ref": "#/$defs/a0"}


_BIG: Final = list(range(9_000))
_VAR: Final = {"var": "v"}

FIXED: Final[dict[str, tuple[str, str]]] = {
    # R1
    "pattern_output": (_plan([_give("a" * 40 + "!")], output={"type": "string", "pattern": "^(a+)+$"}), "validation"),
    "pattern_input": (_inputs(type="string", pattern="^(a+)+$", default="a" * 40 + "!"), "validation"),
    "pattern_keys": (_plan([_give({"a" * 40 + "!": 1})], output={"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}), "validation"),
    "pattern_look_ahead": (_plan([_give("a")], output={"type": "string", "pattern": "^(?=a)a"}), "validation"),
    "pattern_back_reference": (_plan([_give("a")], output={"type": "string", "pattern": r"^(a)\1"}), "validation"),
    "pattern_names": (_plan([_give({"a" * 40 + "!": 1})], output={"propertyNames": {"pattern": "^(a|a)*$"}}), "validation"),
    # R2
    "map_over_sum": (_plan([_set(_BIG), _give({"$": {"map": [_VAR, {"sum": _VAR}]}})]), "exhausted"),
    "keys_cut_off": ('{"version": 1, "steps": [], ' + ", ".join(f'"k{n}": {n}' for n in range(40_000)), "cut off"),
    "keys_broken": ('{"version": 1, "steps": [], ' + ", ".join(f'"k{n}": {n}' for n in range(12_000)), "parse"),
    "set_nodes": (_plan([_set(1)] * 100_000), "parse"),
    "set_nodes_small": (_plan([_set(1)] * 3_000), "validation"),
    "literals": ('{"version": 1, "steps": [' + "1," * 700_000 + "1]}", "parse"),
    "literals_small": (_plan([_give([0] * 60_000)]), "validation"),
    "steps_open": ('{"steps":' * 200_000, "parse"),
    "steps_open_small": ('{"steps":' * 20_000, "parse"),
    "large_default": (_inputs(type="array", items={"type": "integer"}, default=[0] * 500_000), "parse"),
    "large_default_small": (_inputs(type="array", items={"type": "integer"}, default=[0] * 9_900), "validation"),
    "enum": (_inputs(type="array", items={"enum": [[n] for n in range(300)]}, default=[[999]] * 9_000), "validation"),
    "unique": (_inputs(type="array", uniqueItems=True, default=[[n, "a"] for n in range(3_000)]), "executed"),
    "any_of": (_inputs(anyOf=[{"type": "string"}] * 300, default=[0] * 9_000), "validation"),
    "doubling": (_plan([_give("a")], output=_doubling(40)), "validation"),
    "endless_reference": (_plan([_give("a")], output={"$ref": "#"}), "validation"),
    "unevaluated": (_plan([_give({})], output={"unevaluatedProperties": False}), "validation"),
    "big_schema": (_plan([], output={"properties": {f"p{n}": {"type": "string"} for n in range(3_000)}}), "validation"),
    "integer": ('{"version": 1, "steps": [{"kind": "return", "value": ' + "9" * 5_001 + "}]}", "parse"),
    "squares": (_plan([_set(3), *_loops(2, [_set({"$": {"*": [_VAR, _VAR]}})])]), "invalid"),
    "text_doubling": (_plan([_set("x"), *_loops(3, [_set("${v}${v}")])]), "invalid"),
    "text_slow_growth": (_plan([_set("x" * 50_000), *_loops(4, [_set("${v}y")])]), "exhausted"),
    "text_lower": (_plan([_set("x" * 99_000), *_loops(4, [_set({"$": {"lower": _VAR}}, "w")])]), "exhausted"),
    "text_in": (_plan([_set("a" * 90_000), _set("a" * 50_000 + "b", "w"), *_loops(4, [_set({"$": {"in": [{"var": "w"}, _VAR]}}, "u")])]), "exhausted"),
    "texts_in_a_list": (_plan([_set("x" * 90_000), _set({"$": {"map": [_BIG, _VAR]}}, "w")]), "exhausted"),
    "list_growth": (_plan([_set([1]), *_loops(4, [_set({"$": {"merge": [_VAR, 1]}})])]), "exhausted"),
    "maps_in_maps": (_plan([_set(_BIG), _give({"$": {"map": [_VAR, {"map": [_VAR, {"map": [_VAR, 1]}]}]}})]), "exhausted"),
    "equal_lists": (_plan([_set(_BIG), *_loops(4, [_set({"$": {"==": [_VAR, _VAR]}}, "w")])]), "exhausted"),
    "in_list": (_plan([_set(_BIG), _give({"$": {"map": [_VAR, {"in": ["z", _VAR]}]}})]), "exhausted"),
    "many_names": (_plan([*(_set(1, f"n{n}") for n in range(900)), _set(list(range(280))), _give({"$": {"map": [_VAR, {"map": [_VAR, {"map": [[], 1]}]}]}})]), "exhausted"),
    "calls": (_plan(_loops(4, [{"kind": "call", "tool": TOOLS[0], "arguments": {}}])), "exhausted"),
    "wide_loop": (_plan([_set([0] * 9_900), {"kind": "for_each", "items": "${v}", "as": "x", "do": [_set("${x}", "y")]}]), "exhausted"),
    "long_key": (_plan([_give({"k" * 60_000: [0] * 9_000})]), "validation"),
    "deep_then_wide": (_plan([_give(json.loads("[" * 30 + ",".join(["0"] * 9_000) + "]" * 30))]), "exhausted"),
    "deep": (_plan([_give(json.loads("[" * 90 + "]" * 90))]), "validation"),
    "many_bad_keys": (_plan([{"kind": "set", "name": "v", "value": 1, **{f"k{n}": 1 for n in range(9_000)}}]), "validation"),
    "many_bad_references": (_plan([_give([f"${{nothing_{n}}}" for n in range(4_000)])]), "validation"),
    "long_reference": (_plan([_give("${inputs" + ".a" * 50_000 + "}")]), "validation"),
    "many_references": (_plan([_set(1), _give("${v}" * 30_000)]), "executed"),
    "open_references": (_plan([_give("${" * 60_000)]), "validation"),
    "quotes": ('{"steps": "' + "\\" * 190_000, "parse"),
    "strings": ('{"steps": [' + '"",' * 60_000 + '""]}', "validation"),
}  # fmt: skip
"""Name → answer, and the class of what becomes of it."""


def random_bomb(seed: int) -> str:
    """Return an answer of five million characters at most."""
    rng = random.Random(seed)
    text = _KINDS[rng.randrange(len(_KINDS))](rng)
    if rng.random() < 0.15:
        text = text[: rng.randrange(len(text) + 1)]
    if rng.random() < 0.1:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice('{}[],:"\\\0\ud800é𝄞0') * rng.choice((1, 50)) + text[at:]
    return text[:CHARACTERS_MAX]


def _count(rng: random.Random, most: int) -> int:
    """A count that is as often small as it is large."""
    return int(most ** rng.random())


def _nested(rng: random.Random) -> str:
    unit = rng.choice(('{"steps":', "[", '{"a":[', '{"$":{"!":', '[{"kind":"try","do":'))
    count = _count(rng, CHARACTERS_MAX // len(unit))
    return (
        '{"version": 1, "steps": ' + unit * count + rng.choice(("", "1", "]" * count, "}" * count))
    )


def _repeated(rng: random.Random) -> str:
    unit = rng.choice(
        ("1,", '"a",', '{"kind":"set","name":"v","value":1},', "[],", "{},", '"\\u0041",', "1e9,",
         '{"steps":[]}', "```json\n", "<think>", "</think>", "${v}", "NaN,", '"k":1,', "{", '"')
    )  # fmt: skip
    body = unit * _count(rng, CHARACTERS_MAX // len(unit))
    return rng.choice(
        (body, '{"version": 1, "steps": [' + body + "1]}", '{"steps": "' + body + '"}')
    )


def _number(rng: random.Random) -> str:
    digits = rng.choice("0123456789") * _count(rng, 2_000_000)
    written = rng.choice((digits, f"-{digits}", f"1e{digits}", f"0.{digits}", f"{digits}.0e1"))
    return '{"version": 1, "steps": [{"kind": "return", "value": ' + written + "}]}"


def _schema(rng: random.Random, depth: int = 0) -> Any:
    size = _count(rng, 400)
    patterns = (
        "^(a+)+$",
        "(a|aa)*b",
        "(.*a){20}",
        "[",
        r"(?=a)",
        r"(a)\1",
        "(\\pL{9}){9}",
        "a{999}",
    )
    inner = _schema(rng, depth + 1) if depth < 4 else {"type": "string"}
    return rng.choice(
        (
            {"type": "string", "pattern": rng.choice(patterns) * _count(rng, 200)},
            {"patternProperties": {rng.choice(patterns): inner}, "additionalProperties": False},
            {"anyOf": [inner] * _count(rng, 60)},
            {"allOf": [inner, inner]},
            {"oneOf": [inner] * _count(rng, 60)},
            {"type": "array", "items": inner, "uniqueItems": True},
            {"enum": [[n] for n in range(size)]},
            {"properties": {f"p{n}": inner for n in range(_count(rng, 100))}},
            {"not": inner, "if": inner, "then": inner, "else": inner},
            {"contains": inner, "minContains": size},
            {"$ref": rng.choice(("#", "#/$defs/a", "http://example.com/a", "#/x/y"))},
            _doubling(rng.randrange(60)),
            {"unevaluatedProperties": inner},
            {"dependentSchemas": {f"p{n}": inner for n in range(_count(rng, 60))}},
        )
    )


def _schemas(rng: random.Random) -> str:
    value: Any = rng.choice(
        ("a" * 60 + "!", [0] * _count(rng, 9_000), [[n] for n in range(_count(rng, 4_000))])
    )
    value = rng.choice((value, {f"p{n}": value for n in range(_count(rng, 40))}))
    where = rng.choice(("input", "output", "both"))
    further: dict[str, Any] = {} if where == "input" else {"output": _schema(rng)}
    if where != "output":
        further["inputs"] = {"a": {**_schema(rng), "default": value}}
    return _plan([_give(value)], **further)


def _rule(rng: random.Random, depth: int) -> Any:
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(
            (_VAR, {"var": "w"}, 1, "a", True, list(range(_count(rng, 300))), {"var": "item"})
        )
    inner = _rule(rng, depth - 1)
    operator = rng.choice(OPERATORS)
    match operator:
        case "map" | "filter" | "all" | "some" | "none":
            return {operator: [rng.choice((_VAR, inner)), _rule(rng, depth - 1)]}
        case "reduce":
            return {
                "reduce": [
                    _VAR,
                    rng.choice(({"merge": [{"var": "accumulator"}] * 2}, inner)),
                    inner,
                ]
            }
        case "in":
            return {"in": [inner, _VAR]}
        case "merge":
            return {"merge": [inner] * rng.choice((1, 2, 9))}
        case _:
            return {operator: inner}


def _operators(rng: random.Random) -> str:
    start = rng.choice(
        (list(range(_count(rng, 9_900))), "x" * _count(rng, 99_000), [[0] * 9] * 900)
    )
    body = [_set({"$": _rule(rng, rng.randrange(1, 7))}, "u")]
    return _plan(
        [_set(start), _set(rng.choice(([1, 2], "ab", start)), "w"), *_loops(rng.randrange(5), body)]
    )


def _growth(rng: random.Random) -> str:
    grown = rng.choice(
        ("${v}${v}", "${v}x", ["${v}", "${v}"], ["${v}"], {"a": "${v}"}, {"$": {"merge": [_VAR, _VAR]}},
         {"$": {"merge": [_VAR, 1]}}, {"$": {"*": [_VAR, _VAR]}}, {"$": {"cat": [_VAR, "y", _VAR]}},
         {"$": {"+": [_VAR, _VAR]}}, {"$": {"map": [_VAR, _VAR]}}, {"$": {"lower": _VAR}})
    )  # fmt: skip
    start = rng.choice(
        ("x", 2, [], [1], "x" * _count(rng, 99_000), list(range(_count(rng, 9_000))))
    )
    depth, width = rng.randrange(1, 6), _count(rng, 300)
    return _plan([_set(start), *_loops(depth, [_set(grown)] * rng.choice((1, 1, 30)), width)])


def _calls(rng: random.Random) -> str:
    query = rng.choice(("SELECT 1", "SELECT count(*) FROM orders a, orders b, orders c, orders d", "SELECT " + "(" * _count(rng, 9_000), "SELECT " + "1+" * _count(rng, 4_900) + "1", "SELECT 1 WHERE " + "1 IN (1) AND " * _count(rng, 700) + "1",
                        "SELECT 1 UNION ALL " * _count(rng, 480) + "SELECT 1", "x" * _count(rng, 90_000)))  # fmt: skip
    value = rng.choice(("x" * _count(rng, 99_000), list(range(_count(rng, 3_000))), "${v}", query))
    tool = rng.choice(TOOLS)
    arguments: dict[str, Any] = {"sql": query} if "run_query" in tool else {}
    if rng.random() < 0.3:
        arguments[rng.choice(("text", "query", "limit", "parameters"))] = value
    call = {"kind": "call", "tool": tool, "arguments": arguments}
    tried = {"kind": "try", "do": [call], "catch": []}
    return _plan(
        [_set("x" * _count(rng, 50_000)), *_loops(rng.randrange(5), [tried], _count(rng, 200))]
    )


def _wide(rng: random.Random) -> str:
    count = _count(rng, 30_000)
    node: Any = rng.choice(
        (_set(1), {"kind": "x"}, {"kind": "set", "k" * _count(rng, 999): 1}, {}, [], None)
    )
    nodes = [node] * count
    odd = {f"k{n}" * rng.choice((1, 30)): n for n in range(count)}
    return rng.choice(
        (
            _plan(nodes),
            _plan([], **odd),
            _plan([{**_set(1), **odd}]),
            _plan([_give(odd)]),
            _plan([_give([f"${{n{n}}}" for n in range(count)])]),
            _plan([_set(1, f"n{n}") for n in range(count)]),
            _plan([_give("${" * count + "}" * rng.choice((0, count)))]),
            _plan([], inputs={f"i{n}": {"type": "string", "default": ""} for n in range(count)}),
        )
    )


def _unicode(rng: random.Random) -> str:
    unit = rng.choice(
        ("\ud800", "\udc00", "\\ud800", "\\u0000", "\0", "𝄞", "é", "\u202e", "\ufeff", "\\")
    )
    text = unit * _count(rng, 500_000)
    return rng.choice(
        (text, '{"version": 1, "steps": [{"kind": "return", "value": "' + text + '"}]}')
    )


_KINDS: Final = (
    _nested, _repeated, _number, _schemas, _operators, _growth, _calls, _wide, _unicode,
)  # fmt: skip
