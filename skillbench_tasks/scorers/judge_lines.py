"""What happened, as judges read it: one JSON object in each line, nothing cut off.

No text can break its line, so what stands in one never begins a part of the page.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.json_text import strings_of

__all__ = [
    "CaseFile",
    "Event",
    "called",
    "json_line",
    "numbered",
    "part",
    "said",
    "tool_page",
    "value_texts",
]

Event: TypeAlias = dict[str, JsonValue]
"""A message or a call as an object."""

_LINE_BREAKS: Final = {ord(one): f"\\u{ord(one):04x}" for one in "\x85\u2028\u2029"}
"""What breaks a line in Unicode, and JSON leaves as it is."""

_SPEAKERS: Final = {"user": "customer", "agent": "agent", "assistant": "agent"}


@dataclass(frozen=True)
class CaseFile:
    """What is put before a judge.

    Args:
        page: Policy and tools; it follows the rubric.
        case: The case with what belongs to it.
        texts: Every text in it that is evidence.
    """

    page: str
    case: str
    texts: tuple[str, ...]


def json_line(value: JsonValue) -> str:
    """Return a value as JSON in one line, whatever its texts hold."""
    return json.dumps(value, ensure_ascii=False).translate(_LINE_BREAKS)


def part(heading: str, lines: Iterable[str]) -> str:
    """Return a part of a case: its heading, then a line for each event."""
    return "\n".join([f"# {heading}", *lines])


def numbered(events: Iterable[Event]) -> Iterator[str]:
    """Yield events as lines that begin with their number `n`, from 1."""
    for number, event in enumerate(events, start=1):
        yield json_line({"n": number, **event})


def said(role: Literal["user", "agent", "assistant"], text: str) -> Event:
    """Return a message."""
    return {"who": _SPEAKERS[role], "says": text}


def called(tool: str, arguments: Mapping[str, JsonValue] | None) -> Event:
    """Return a call without what came back; `None` stands for arguments that cannot be read."""
    given = None if arguments is None else dict(arguments)
    return {"who": "agent", "calls": tool, "arguments": given}


def value_texts(*values: JsonValue) -> Iterator[str]:
    """Yield every text in arguments and results, and these as JSON."""
    for value in values:
        yield from strings_of(value)
        yield json_line(value)


def tool_page(policy: str, tools: Iterable[Mapping[str, JsonValue]]) -> str:
    """Return policy and tools, the part of a page that follows the rubric.

    Args:
        policy: What the agent was told.
        tools: The tools as they were offered, in order.
    """
    head = '# POLICY\nWritten to the agent: "you" is the agent.'
    offered = "\n".join(json_line(dict(tool)) for tool in tools)
    return f"{head}\n\n{policy}\n\n# TOOLS\n{offered}"
