"""What the tables and tests of the second interpreter share: inputs, backend, user, nodes."""

from __future__ import annotations

from typing import Any

from skillbench_tasks.errors import ToolFailure

from .generator import NOW
from .interpreter import Result, interpret

Event = dict[str, Any]
T = "mcp.t:do"
ERROR = {"code": "bad", "message": "no", "retryable": False, "tool": T}
INPUTS = {
    "n": 3,
    "f": 2.5,
    "s": "Text",
    "none": None,
    "yes": True,
    "xs": [3, 1, 2],
    "o": {"k": {"7": "seven"}, "list": [{"a-b": 1}]},
    "big": [0] * 10_000,
    "long": "x" * 60_000,
}


def backend(tool: str, arguments: dict[str, Any]) -> Any:
    """Echo the arguments; fail where asked to; spoil what was passed."""
    given = dict(arguments)
    arguments["spoilt"] = True
    if given.get("fail"):
        raise ToolFailure("bad", "no", False, tool)
    return given


class User:
    """Has told ``early``; tells ``mute`` never; changes ``early`` when asked to confirm."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {"early": "E"}

    def told(self, slot: str) -> bool:
        """Tell whether the slot is known."""
        return slot in self.known

    def told_value(self, slot: str) -> Any:
        """Give a known slot."""
        return self.known[slot]

    def answer(self, slots: list[str], confirm: str | None, again: bool) -> dict[str, Any]:
        """Answer."""
        if confirm is not None:
            self.known["early"] = "E2"
            return {"confirmed": True, "changes": {"early": "E2"}}
        return {slot: f"{slot}!{again}" for slot in slots if slot != "mute"}


def run(steps: list[Any], **further: Any) -> Result:
    """Run steps with the fixed inputs."""
    program = {"version": 1, "steps": steps}
    if "output" in further:
        program["output"] = further.pop("output")
    return interpret(program, INPUTS, NOW, backend, User(), **further)


def rule(source: Any) -> Any:
    """Give the value of a rule, which has to return."""
    result = run([{"kind": "return", "value": {"$": source}}])
    assert result.status == "returned", result.trace
    return result.value


def ev(event: str, path: str | None = None, **further: Any) -> Event:
    """Write an event shortly."""
    return {"event": event, **({} if path is None else {"path": path}), **further}


def call(fail: bool = False, **further: Any) -> Event:
    """Write a call node shortly."""
    arguments = {"arguments": {"fail": True}} if fail else {}
    return {"kind": "call", "tool": T, **arguments, **further}


def assign(name: str, value: Any) -> Event:
    """Write a ``set`` node shortly."""
    return {"kind": "set", "name": name, "value": value}


def give(value: Any) -> Event:
    """Write a ``return`` node shortly."""
    return {"kind": "return", "value": value}


def failed_at(path: str) -> Event:
    """Write the event of a failed call shortly."""
    return ev("call", path, tool=T, arguments={"fail": True}, error=ERROR)


def called_at(path: str) -> Event:
    """Write the event of an empty call shortly."""
    return ev("call", path, tool=T, arguments={}, result={})


def same(left: Any, right: Any) -> bool:
    """Compare with types: ``True``, ``1`` and ``1.0`` all differ."""
    return repr(left) == repr(right)
