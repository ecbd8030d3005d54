"""Comparison of what two runs did to the world.

Both runs start from the same world, so their changes decide. `diff(a, b)` is empty exactly when
the two end worlds are equal under the declared kinds of fields: sets without order, free text by
presence, timestamps by presence, phones and the like in their declared form
(`skillbench_tasks.tools.normal_forms`), numbers by value, booleans apart from numbers. Ids made at
run time are normalised: a record with a generated id is known by its content, and references to it
by that content.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal

from pydantic import JsonValue

from skillbench_tasks.json_text import strings_of
from skillbench_tasks.models import Change, CollectionSpec, FieldKind, Model, Record
from skillbench_tasks.tools.normal_forms import normal_form

__all__ = ["Difference", "canonical_record", "diff", "equal", "made_names"]

_ROUNDS = 4
"""Rounds of refinement: references between made records nest no deeper than this."""


class Difference(Model):
    """One way in which the second run differs from the first.

    `missing`: the change was expected and did not happen. `unintended`: it happened and was not
    expected. `wrong`: the record changed, to other values. `duplicate`: it happened more often
    than expected.
    """

    kind: Literal["missing", "unintended", "wrong", "duplicate"]
    collection: str
    key: str
    detail: str


def equal(
    expected: Sequence[Change], actual: Sequence[Change], specs: Mapping[str, CollectionSpec]
) -> bool:
    """Return whether both runs end in equal worlds: exactly when `diff` is empty."""
    return not diff(expected, actual, specs)


def diff(
    expected: Sequence[Change], actual: Sequence[Change], specs: Mapping[str, CollectionSpec]
) -> tuple[Difference, ...]:
    """Return the differences between the expected and the actual changes.

    Args:
        expected: Changes of the reference run.
        actual: Changes of the run that is graded.
        specs: Declarations of the collections.
    """
    want, got = _Side(expected, specs), _Side(actual, specs)
    return (*_diff_kept(want, got), *_diff_made(want, got))


def made_names(changes: Sequence[Change], specs: Mapping[str, CollectionSpec]) -> Mapping[str, str]:
    """Return the generated ids of the records that a run made → names after their content."""
    return _Side(changes, specs).names


def canonical_record(
    record: Record | None,
    spec: CollectionSpec,
    names: Mapping[str, str] | None = None,
    before: Record | None = None,
) -> JsonValue:
    """Return a record in the form in which two are compared.

    Args:
        record: The record, or `None`.
        spec: Kinds of its fields.
        names: Generated id → name that stands for it.
        before: The record at the start: free text that stood there already is compared as it is.
    """
    if record is None:
        return None
    form = _Form(spec, names or {}, frozenset(strings_of(before)))
    canonical = ((name, form.of(value, name)) for name, value in record.items())
    return {name: value for name, value in canonical if value is not None}


class _Form:
    """The canonical form of values under one collection's declarations."""

    def __init__(
        self, spec: CollectionSpec, names: Mapping[str, str], known_texts: frozenset[str]
    ) -> None:
        self._kinds, self._names, self._known_texts = spec.fields, names, known_texts
        made = "|".join(re.escape(name) + r"(?!\d)" for name in names)
        self._made = re.compile(made) if made else None

    def of(self, value: JsonValue, path: str) -> JsonValue:
        kind = self._kinds.get(path)
        if kind is FieldKind.IGNORED or value is None:
            return None
        if kind is FieldKind.TEXT:
            return self._text(value)
        if kind is FieldKind.TIMESTAMP:
            return "<time>"
        if isinstance(value, list):
            parts = [self._part(part, path) for part in value]
            return _as_set(parts) if kind is FieldKind.SET else parts
        same = normal_form(kind, value)
        return self._part(value, path) if same is None else f"<{kind}:{_written(same)}>"

    def _part(self, value: JsonValue, path: str) -> JsonValue:
        if isinstance(value, dict):
            items = ((name, self.of(part, f"{path}.{name}")) for name, part in value.items())
            return {name: part for name, part in items if part is not None}
        if isinstance(value, list):
            return [self._part(part, path) for part in value]
        return self._scalar(value)

    def _text(self, value: JsonValue) -> JsonValue:
        if isinstance(value, list):
            return [self._text(part) for part in value]
        if not isinstance(value, str):
            return value
        if value in self._known_texts:
            return value
        return "<text>" if value.strip() else None

    def _scalar(self, value: JsonValue) -> JsonValue:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, str) and self._made:
            return self._made.sub(lambda match: self._names[match.group()], value)
        return value


def _written(form: Hashable) -> str:
    """Return a form as a text that is equal for equal forms."""
    return " ".join(sorted(form)) if isinstance(form, frozenset) else str(form)


def _as_set(parts: list[JsonValue]) -> JsonValue:
    unique = {_text(part): part for part in parts}
    return [unique[key] for key in sorted(unique)]


def _text(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


class _Side:
    """One run's changes: kept records by key, made records by content."""

    def __init__(self, changes: Sequence[Change], specs: Mapping[str, CollectionSpec]) -> None:
        self.specs = specs
        self.made = [c for c in changes if c.before is None and _is_generated(c, specs)]
        self.kept = {
            (c.collection, c.key): c
            for c in changes
            if not (c.before is None and _is_generated(c, specs))
        }
        self.names = self._name_made()

    def form(self, change: Change) -> JsonValue:
        spec = self.specs[change.collection]
        return canonical_record(change.after, spec, self.names, change.before)

    def made_by_form(self) -> dict[tuple[str, str], list[Change]]:
        groups: dict[tuple[str, str], list[Change]] = defaultdict(list)
        for change in self.made:
            groups[change.collection, _text(self.form(change))].append(change)
        return groups

    def _name_made(self) -> dict[str, str]:
        """Name every generated id by its record's content, refined along references."""
        names = {c.key: f"<{c.collection}>" for c in self.made}
        for _ in range(_ROUNDS):
            fresh = {}
            for change in self.made:
                form = canonical_record(change.after, self.specs[change.collection], names)
                digest = hashlib.sha256(_text(form).encode()).hexdigest()[:12]
                fresh[change.key] = f"<{change.collection}:{digest}>"
            names = fresh
        return names


def _is_generated(change: Change, specs: Mapping[str, CollectionSpec]) -> bool:
    spec = specs[change.collection]
    prefix, _, number = change.key.rpartition("-")
    return prefix == spec.prefix and number.isdigit() and int(number) >= spec.start


def _diff_kept(want: _Side, got: _Side) -> list[Difference]:
    found = []
    for place in sorted(want.kept.keys() | got.kept.keys()):
        expected, actual = want.kept.get(place), got.kept.get(place)
        if expected is None and actual is not None:
            before = canonical_record(actual.before, want.specs[place[0]], None, actual.before)
            if _text(before) != _text(got.form(actual)):
                detail = _fields(before, got.form(actual))
                found.append(_difference("unintended", place, detail))
        elif actual is None and expected is not None:
            before = canonical_record(expected.before, want.specs[place[0]], None, expected.before)
            if _text(before) != _text(want.form(expected)):
                detail = _fields(before, want.form(expected))
                found.append(_difference("missing", place, detail))
        elif expected and actual and _text(want.form(expected)) != _text(got.form(actual)):
            detail = _fields(want.form(expected), got.form(actual))
            found.append(_difference("wrong", place, detail))
    return found


def _diff_made(want: _Side, got: _Side) -> list[Difference]:
    expected, actual = want.made_by_form(), got.made_by_form()
    missing, extra = [], []
    for group in sorted(expected.keys() | actual.keys()):
        surplus = len(actual.get(group, ())) - len(expected.get(group, ()))
        if surplus < 0:
            missing += expected[group][surplus:]
        elif surplus > 0:
            extra += [(change, group in expected) for change in actual[group][-surplus:]]
    return _pair_made(want, got, missing, extra)


def _pair_made(
    want: _Side, got: _Side, missing: list[Change], extra: list[tuple[Change, bool]]
) -> list[Difference]:
    """Report a missing and an extra record of one collection as one wrong record."""
    found = []
    waiting = Counter(change.collection for change in missing)
    spare: dict[str, list[Change]] = defaultdict(list)
    for change, repeated in extra:
        if waiting[change.collection] and not repeated:
            waiting[change.collection] -= 1
            spare[change.collection].append(change)
        else:
            kind: Literal["duplicate", "unintended"] = "duplicate" if repeated else "unintended"
            found.append(_difference(kind, _place(change), _text(got.form(change))))
    for change in missing:
        if spare[change.collection]:
            other = spare[change.collection].pop(0)
            detail = _fields(want.form(change), got.form(other))
            found.append(_difference("wrong", _place(other), detail))
        else:
            found.append(_difference("missing", _place(change), _text(want.form(change))))
    return found


def _place(change: Change) -> tuple[str, str]:
    return change.collection, change.key


def _difference(
    kind: Literal["missing", "unintended", "wrong", "duplicate"],
    place: tuple[str, str],
    detail: str,
) -> Difference:
    return Difference(kind=kind, collection=place[0], key=place[1], detail=detail)


def _fields(expected: JsonValue, actual: JsonValue) -> str:
    """Return the fields that differ, as `field: expected → actual`."""
    if not isinstance(expected, dict) or not isinstance(actual, dict):
        return f"{_text(expected)} → {_text(actual)}"
    names = sorted(expected.keys() | actual.keys())
    differing = [n for n in names if _text(expected.get(n)) != _text(actual.get(n))]
    return "; ".join(f"{n}: {_text(expected.get(n))} → {_text(actual.get(n))}" for n in differing)
