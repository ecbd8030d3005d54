"""JSON Schema validation of what comes from outside, in bounded time.

The library's validator, changed: patterns are matched in linear time; every keyword that is looked
at counts, so that references which fan out end; distinct elements are found in linear time;
references are never fetched; `unevaluatedItems` and `unevaluatedProperties` are not supported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.exceptions import FormatError
from jsonschema.validators import extend
from pydantic import JsonValue
from referencing import Registry

from skillbench_tasks.patterns import PatternFault, linear_pattern

__all__ = ["WORK_MAX", "TooMuchWork", "errors_of", "schema_errors"]

WORK_MAX: Final = 60_000
"""Keywords that are looked at, and parts of values that they read, of one validation."""

_CHARACTERS_PER_PART: Final = 50
_REFERENCES_MAX: Final = 80
"""References that are followed within one another; what goes deeper cannot be checked."""

_PARTS_PER_KEYWORD: Final = 16
"""Parts of a value that are read in the time in which a keyword is looked at."""


class TooMuchWork(Exception):
    """A schema and a value that cannot be checked in bounded time."""


class _Meter:
    """Counts the work of one validation; sizes of values are remembered while it lasts."""

    def __init__(self, work_max: int) -> None:
        self._left = work_max
        self._sizes: dict[int, int] = {}
        self._open: set[tuple[str, int]] = set()

    def do(self, work: int) -> None:
        self._left -= work
        if self._left < 0:
            raise TooMuchWork

    @contextmanager
    def following(self, reference: str, instance: object) -> Iterator[None]:
        """Follow a reference; one that leads back to itself on the same value never ends."""
        key = (reference, id(instance))
        if key in self._open or len(self._open) >= _REFERENCES_MAX:
            raise TooMuchWork
        self._open.add(key)
        try:
            yield
        finally:
            self._open.discard(key)

    def size(self, value: Any) -> int:
        """Return the size of a value in parts; a text counts by its length."""
        if isinstance(value, str):
            return 1 + len(value) // _CHARACTERS_PER_PART
        if not isinstance(value, list | dict):
            return 1
        known = self._sizes.get(id(value))
        if known is None:
            inner = value.values() if isinstance(value, dict) else value
            known = self._sizes[id(value)] = 1 + sum(map(self.size, inner))
        return known


Keyword = Callable[[Any, Any, Any, Any], Any]


def _metered(function: Keyword) -> Keyword:
    def check(validator: Any, wanted: Any, instance: Any, schema: Any) -> Any:
        meter: _Meter = validator.format_checker.meter
        read = meter.size(instance) + (meter.size(wanted) if isinstance(wanted, list) else 0)
        meter.do(1 + read // _PARTS_PER_KEYWORD)
        return function(validator, wanted, instance, schema)

    return check


def _reference(
    validator: Any, wanted: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    resolver = validator._resolver  # the library's: what a relative reference starts from
    with validator.format_checker.meter.following(f"{resolver._base_uri} {wanted}", instance):
        yield from _KEYWORDS_BEFORE["$ref"](validator, wanted, instance, schema)


def _pattern(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not linear_pattern(wanted).is_in(instance):
        yield ValidationError(f"{instance!r} does not match {wanted!r}")


def _pattern_properties(
    validator: Any, wanted: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for source, inner in wanted.items():
            pattern = linear_pattern(source)
            for name, value in instance.items():
                if pattern.is_in(name):
                    yield from validator.descend(value, inner, path=name, schema_path=source)


def _additional_properties(
    validator: Any, wanted: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    listed = schema.get("properties", {})
    patterns = [linear_pattern(source) for source in schema.get("patternProperties", {})]
    others = [
        name
        for name in instance
        if name not in listed and not any(one.is_in(name) for one in patterns)
    ]
    if isinstance(wanted, dict):
        for name in others:
            yield from validator.descend(instance[name], wanted, path=name)
    elif wanted is False and others:
        names = ", ".join(repr(name) for name in sorted(others))
        verb = "was" if len(others) == 1 else "were"
        yield ValidationError(f"Additional properties are not allowed ({names} {verb} unexpected)")


def _unique_items(
    validator: Any, wanted: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if wanted is not True or not isinstance(instance, list):
        return
    if len({_identity(value) for value in instance}) < len(instance):
        yield ValidationError(f"{instance!r} has non-unique elements")


def _identity(value: Any) -> str:
    """Return a text that two values share exactly when JSON Schema calls them equal."""
    return json.dumps(_numbers_alike(value), sort_keys=True, default=id)


def _numbers_alike(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_numbers_alike(part) for part in value]
    if isinstance(value, dict):
        return {name: _numbers_alike(part) for name, part in value.items()}
    return value


def _unsupported(
    validator: Any, wanted: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    raise TooMuchWork


_UNSUPPORTED: Final = ("unevaluatedItems", "unevaluatedProperties")

_KEYWORDS_BEFORE: Final[dict[str, Any]] = dict(Draft202012Validator.VALIDATORS)
_CHANGED: Final[dict[str, Keyword]] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
    "$ref": _reference,
    "$dynamicRef": _reference,
    # The library searches all schemas anew for each of these, without bound.
    **dict.fromkeys(_UNSUPPORTED, _unsupported),
}

_KEYWORDS: Final[dict[str, Any]] = {**_KEYWORDS_BEFORE, **_CHANGED}
_Validator: Final[Any] = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {name: _metered(function) for name, function in _KEYWORDS.items()}
)


class _Formats(FormatChecker):
    """Formats of a schema's own texts; carries the meter, the one thing validators hand on."""

    def __init__(self, meter: _Meter, checked: frozenset[str]) -> None:
        super().__init__(())
        self.meter = meter
        self._checked = checked

    def check(self, instance: object, format: str) -> None:
        """Raise where a text has not its format; of formats only patterns are looked at."""
        if format in self._checked and isinstance(instance, str):
            try:
                linear_pattern(instance)
            except PatternFault as fault:
                raise FormatError(f"the pattern {instance[:80]!r}: {fault}") from None


def errors_of(
    schema: Mapping[str, Any] | bool, value: JsonValue, work_max: int = WORK_MAX
) -> Iterator[ValidationError]:
    """Yield what breaks the schema, lazily.

    Args:
        schema: The schema.
        value: The value.
        work_max: Bound of the work.

    Raises:
        TooMuchWork: The bound is reached.
        PatternFault: A pattern cannot be matched in linear time.
    """
    meter = _Meter(work_max)
    formats = _Formats(meter, frozenset())
    validator: Any = _Validator(schema, registry=Registry(), format_checker=formats)
    yield from validator.iter_errors(value)


def schema_errors(schema: JsonValue) -> Iterator[ValidationError]:
    """Yield why a value is no JSON Schema, or has a pattern that cannot be matched.

    Raises:
        TooMuchWork: It is too large.
    """
    if (keyword := _unsupported_keyword(schema)) is not None:
        yield ValidationError(f"`{keyword}` is not supported")
    formats = _Formats(_Meter(WORK_MAX), frozenset({"regex"}))
    yield from _meta_validator().evolve(format_checker=formats).iter_errors(schema)


@lru_cache(maxsize=1)
def _meta_validator() -> Any:
    return _Validator(Draft202012Validator.META_SCHEMA)


def _unsupported_keyword(schema: JsonValue) -> str | None:
    """Return a keyword that is not checked, wherever in a schema it stands."""
    pending = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            found = [name for name in _UNSUPPORTED if isinstance(part.get(name), dict | bool)]
            if found:
                return found[0]
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return None
