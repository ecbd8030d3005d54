"""Small programs with traces derived by hand from §1 to §3, §6 and §7 of the reference."""

from __future__ import annotations

from typing import Any

from .fixed import ERROR, Event, T, assign, call, called_at, ev, failed_at, give
from .generator import NOW

BAD = {"$": {"/": [1, 0]}}
INVALID = ev("invalid")
LOOP3 = ev("loop", "steps[0]", count=3)


def turn(index: int, path: str = "steps[0]") -> Event:
    """Write an iteration event shortly."""
    return ev("iteration", path, index=index)


PROGRAMS: dict[str, tuple[list[Any], str, Any, list[Event]]] = {
    "1 empty program": ([], "completed", None, []),
    "1 context": (
        [give("${context}")],
        "returned",
        {"now": NOW},
        [ev("return", "steps[0]", value={"now": NOW})],
    ),
    "2 call binds": (
        [call(arguments={"a": ["${inputs.n}"]}, id="c", note="${x"), give("${c.a.0}")],
        "returned",
        3,
        [
            ev("call", "steps[0]", tool=T, arguments={"a": [3]}, result={"a": [3]}),
            ev("return", "steps[1]", value=3),
        ],
    ),
    "2 if then": (
        [{"kind": "if", "condition": True, "then": [call()], "else": [call(True)]}],
        "completed",
        None,
        [ev("branch", "steps[0]", taken="then"), called_at("steps[0].then[0]")],
    ),
    "2 if without else": (
        [{"kind": "if", "condition": False, "then": [call()]}],
        "completed",
        None,
        [ev("branch", "steps[0]", taken="else")],
    ),
    "2 if needs a boolean": (
        [{"kind": "if", "condition": 1, "then": []}],
        "invalid",
        None,
        [INVALID],
    ),
    "2 for_each": (
        [
            assign("t", 0),
            {
                "kind": "for_each",
                "items": [5, 6],
                "as": "x",
                "do": [assign("t", {"$": {"+": [{"var": "t"}, {"var": "x"}]}})],
            },
            give("${t}"),
        ],
        "returned",
        11,
        [
            ev("set", "steps[0]", name="t", value=0),
            ev("loop", "steps[1]", count=2),
            turn(0, "steps[1]"),
            ev("set", "steps[1].do[0]", name="t", value=5),
            turn(1, "steps[1]"),
            ev("set", "steps[1].do[0]", name="t", value=11),
            ev("return", "steps[2]", value=11),
        ],
    ),
    "2 for_each over nothing": (
        [{"kind": "for_each", "items": [], "as": "x", "do": [call()]}],
        "completed",
        None,
        [ev("loop", "steps[0]", count=0)],
    ),
    "2 for_each needs a list": (
        [{"kind": "for_each", "items": "${inputs.o}", "as": "x", "do": []}],
        "invalid",
        None,
        [INVALID],
    ),
    "2 a fresh scope in every iteration": (
        [
            {
                "kind": "for_each",
                "items": [1, 2],
                "as": "x",
                "do": [assign("y", {"$": {"*": [{"var": "x"}, 2]}}), call(id="c")],
            }
        ],
        "completed",
        None,
        [
            ev("loop", "steps[0]", count=2),
            turn(0),
            ev("set", "steps[0].do[0]", name="y", value=2),
            called_at("steps[0].do[1]"),
            turn(1),
            ev("set", "steps[0].do[0]", name="y", value=4),
            called_at("steps[0].do[1]"),
        ],
    ),
    "2 set in a branch reaches the outer variable, not a sibling": (
        [
            assign("a", 1),
            {"kind": "if", "condition": True, "then": [assign("a", 2), assign("b", 3)]},
            assign("b", "${a}"),
            give(["${a}", "${b}"]),
        ],
        "returned",
        [2, 2],
        [
            ev("set", "steps[0]", name="a", value=1),
            ev("branch", "steps[1]", taken="then"),
            ev("set", "steps[1].then[0]", name="a", value=2),
            ev("set", "steps[1].then[1]", name="b", value=3),
            ev("set", "steps[2]", name="b", value=2),
            ev("return", "steps[3]", value=[2, 2]),
        ],
    ),
    "2 try without an error": (
        [{"kind": "try", "do": [call()], "catch": [call(True)]}],
        "completed",
        None,
        [called_at("steps[0].do[0]")],
    ),
    "2 try catches and goes on": (
        [
            {
                "kind": "try",
                "do": [call(True), call()],
                "as": "e",
                "catch": [assign("m", "${e.code} ${e.retryable}")],
            },
            give(None),
        ],
        "returned",
        None,
        [
            failed_at("steps[0].do[0]"),
            ev("caught", "steps[0]", error=ERROR),
            ev("set", "steps[0].catch[0]", name="m", value="bad false"),
            ev("return", "steps[1]", value=None),
        ],
    ),
    "2 an error in catch goes to the outer try": (
        [
            {
                "kind": "try",
                "do": [{"kind": "try", "do": [call(True)], "catch": [call(True)]}],
                "catch": [],
            }
        ],
        "completed",
        None,
        [
            failed_at("steps[0].do[0].do[0]"),
            ev("caught", "steps[0].do[0]", error=ERROR),
            failed_at("steps[0].do[0].catch[0]"),
            ev("caught", "steps[0]", error=ERROR),
        ],
    ),
    "2 an error in a loop in a try ends the loop; variables keep values": (
        [
            assign("k", 0),
            {
                "kind": "try",
                "do": [
                    {
                        "kind": "for_each",
                        "items": [7, 8],
                        "as": "x",
                        "do": [assign("k", "${x}"), call(True)],
                    }
                ],
                "catch": [],
            },
            give("${k}"),
        ],
        "returned",
        7,
        [
            ev("set", "steps[0]", name="k", value=0),
            ev("loop", "steps[1].do[0]", count=2),
            turn(0, "steps[1].do[0]"),
            ev("set", "steps[1].do[0].do[0]", name="k", value=7),
            failed_at("steps[1].do[0].do[1]"),
            ev("caught", "steps[1]", error=ERROR),
            ev("return", "steps[2]", value=7),
        ],
    ),
    "2 a try in a loop lets the loop go on": (
        [
            {
                "kind": "for_each",
                "items": [True, False],
                "as": "x",
                "do": [
                    {
                        "kind": "try",
                        "do": [call(arguments={"fail": "${x}"})],
                        "catch": [],
                    }
                ],
            }
        ],
        "completed",
        None,
        [
            ev("loop", "steps[0]", count=2),
            turn(0),
            failed_at("steps[0].do[0].do[0]"),
            ev("caught", "steps[0].do[0]", error=ERROR),
            turn(1),
            ev(
                "call",
                "steps[0].do[0].do[0]",
                tool=T,
                arguments={"fail": False},
                result={"fail": False},
            ),
        ],
    ),
    "2 failed": (
        [call(True), call()],
        "failed",
        None,
        [failed_at("steps[0]"), ev("uncaught", error=ERROR)],
    ),
    "2 no try catches an evaluation error": (
        [{"kind": "try", "do": [assign("a", BAD)], "catch": [give(1)]}],
        "invalid",
        None,
        [INVALID],
    ),
    "2 return out of a loop in a try": (
        [
            {
                "kind": "try",
                "do": [{"kind": "for_each", "items": [1, 2], "as": "x", "do": [give("${x}")]}],
                "catch": [],
            },
            call(),
        ],
        "returned",
        1,
        [
            ev("loop", "steps[0].do[0]", count=2),
            turn(0, "steps[0].do[0]"),
            ev("return", "steps[0].do[0].do[0]", value=1),
        ],
    ),
    "2 return of nothing": (
        [{"kind": "return"}],
        "returned",
        None,
        [ev("return", "steps[0]", value=None)],
    ),
    "2 a fault in the arguments comes before the call": (
        [call(arguments={"a": "${inputs.nope}"})],
        "invalid",
        None,
        [INVALID],
    ),
    "3 keys are literal": (
        [give({"${inputs.n}": {"a": "${inputs.n}"}, "$x": 1})],
        "returned",
        {"${inputs.n}": {"a": 3}, "$x": 1},
        [ev("return", "steps[0]", value={"${inputs.n}": {"a": 3}, "$x": 1})],
    ),
    "7 say": (
        [
            call(id="c"),
            {
                "kind": "say",
                "act": "inform",
                "facts": {"a": "${inputs.f}"},
                "claims": ["mcp.fake:lookup"],
                "must": ["a"],
            },
            {"kind": "say", "act": "bye"},
        ],
        "completed",
        None,
        [
            called_at("steps[0]"),
            ev(
                "say",
                "steps[1]",
                act="inform",
                facts={"a": 2.5},
                claims=["mcp.fake:lookup"],
                must=["a"],
            ),
            ev("say", "steps[2]", act="bye", facts={}, claims=[], must=[]),
        ],
    ),
    "7 ask for the rest": (
        [{"kind": "ask", "id": "q", "slots": ["late", "early", "mute"]}, give("${q}")],
        "returned",
        {"late": "late!False", "early": "E", "mute": None},
        [
            ev(
                "ask",
                "steps[0]",
                slots=["late", "mute"],
                confirm=None,
                facts={},
                answer={"late": "late!False"},
            ),
            ev(
                "return",
                "steps[1]",
                value={"late": "late!False", "early": "E", "mute": None},
            ),
        ],
    ),
    "7 known": (
        [{"kind": "ask", "id": "q", "slots": ["early"], "facts": {"x": 1}}, give("${q.early}")],
        "returned",
        "E",
        [ev("known", "steps[0]", slots=["early"]), ev("return", "steps[1]", value="E")],
    ),
    "7 ask again": (
        [{"kind": "ask", "slots": ["early"], "again": True, "facts": {"x": 1}}],
        "completed",
        None,
        [
            ev(
                "ask",
                "steps[0]",
                slots=["early"],
                confirm=None,
                facts={"x": 1},
                answer={"early": "early!True"},
            )
        ],
    ),
    "7 confirm": (
        [
            {"kind": "ask", "id": "q", "confirm": "it"},
            {"kind": "ask", "id": "r", "slots": ["early"]},
            give(["${q.confirmed}", "${q.changes.early}", "${r.early}"]),
        ],
        "returned",
        [True, "E2", "E2"],
        [
            ev(
                "ask",
                "steps[0]",
                slots=[],
                confirm="it",
                facts={},
                answer={"confirmed": True, "changes": {"early": "E2"}},
            ),
            ev("known", "steps[1]", slots=["early"]),
            ev("return", "steps[2]", value=[True, "E2", "E2"]),
        ],
    ),
    "7 hand_over": (
        [
            {"kind": "try", "do": [{"kind": "hand_over", "reason": "r"}], "catch": []},
            call(),
        ],
        "handed_over",
        None,
        [ev("hand_over", "steps[0].do[0]", reason="r", facts={}, must=[])],
    ),
    "7 decline": (
        [{"kind": "decline", "reason": "r", "facts": {"a": "${inputs.n}"}, "must": ["a"]}],
        "declined",
        None,
        [ev("decline", "steps[0]", reason="r", facts={"a": 3}, must=["a"])],
    ),
}
