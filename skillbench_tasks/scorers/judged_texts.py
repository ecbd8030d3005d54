"""What judges read, as far as their answers may repeat it: verdicts that are none of theirs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.json_text import find_json_objects

__all__ = ["NOTHING_JUDGED", "JudgedTexts", "objects_in"]

_TAG: Final = re.compile(r"<[^<>]*>")


@dataclass(frozen=True)
class JudgedTexts:
    """Texts that a judge reads.

    Args:
        evidence: Those that others wrote: what was said, called and answered.
        pages: Our own: the rubric, with its pattern of a verdict.
    """

    evidence: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()

    def holds(self, found: Mapping[str, JsonValue]) -> bool:
        """Return whether an object stands in a text word for word, at any depth."""
        return found in self._objects

    def says(self, fields: Mapping[str, JsonValue]) -> bool:
        """Return whether the evidence gives each of some fields the same value.

        In whatever form: as JSON with other keys around, as YAML, XML or a table, in other quotes,
        spread over several messages. Only letters and digits count.

        Args:
            fields: Names and values.
        """
        return all(_bare(f"{name}{value}") in self._bare_evidence for name, value in fields.items())

    def speaks(self, text: str) -> bool:
        """Return whether the evidence holds a text, word for word."""
        return any(text in one for one in self.evidence)

    @cached_property
    def _objects(self) -> list[dict[str, JsonValue]]:
        texts = (*self.evidence, *self.pages)
        return [one for text in texts for outer in find_json_objects(text) for one in _all(outer)]

    @cached_property
    def _bare_evidence(self) -> str:
        whole = "".join(self.evidence)
        return f"{_bare(whole)} {_bare(_TAG.sub('', whole))}"


NOTHING_JUDGED: Final = JudgedTexts()
"""No text at all."""


def objects_in(value: JsonValue) -> Iterator[dict[str, JsonValue]]:
    """Yield an object, or those right under what wraps it: a list, an object, JSON in a string.

    Args:
        value: Anything.
    """
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from objects_in(one)
    elif isinstance(value, str):
        yield from find_json_objects(value)


def _all(value: JsonValue) -> Iterator[dict[str, JsonValue]]:
    """Yield the objects in a value, itself included."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _all(one)


def _bare(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, folded))
