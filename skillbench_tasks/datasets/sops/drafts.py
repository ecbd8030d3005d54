"""What a family writes: its purpose, axes on which its SOPs differ, a draft for each choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from skillbench_tasks.models import Fault, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["Choice", "Draft", "Family", "Sentence", "VariantDraft"]

Choice: TypeAlias = Mapping[str, str]
"""One value for each axis of a family."""


@dataclass(frozen=True)
class Sentence:
    """One requirement in words, with what of the workflow it states.

    It stands alone: it says what it is about without a sentence before it.

    Args:
        text: The words.
        covers: Items of the ledger that it states.
        means: Literal of the workflow → the words that stand for it here, where they differ.
    """

    text: str
    covers: tuple[str, ...]
    means: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class VariantDraft:
    """One run: inputs, records beside the workspace's, faults."""

    inputs: Mapping[str, Any]
    records: Mapping[str, tuple[Record, ...]] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class Draft:
    """A SOP before it is put together.

    Args:
        title: A short name, as on a page of an operations manual.
        purpose: One or two sentences: why the procedure is there and when it runs.
        program: The reference workflow.
        sentences: The requirements.
        context: What the automation may rely on, one line each.
        resources: Things in the workspace that it works with.
        templates: Texts that go out word for word.
        variants: The runs.
    """

    title: str
    purpose: str
    program: Mapping[str, Any]
    sentences: tuple[Sentence, ...]
    context: tuple[str, ...]
    resources: tuple[Resource, ...]
    templates: tuple[Template, ...]
    variants: tuple[VariantDraft, ...]


@dataclass(frozen=True)
class Family:
    """A business purpose with a structure of its own.

    Args:
        name: Short name, `[a-z0-9-]+`.
        axes: Axis → its values: structural choices, each of which changes the workflow.
        build: Makes the draft of a choice.
        picks: The choices that ship, in order: they become `<name>.1`, `<name>.2` …
    """

    name: str
    axes: Mapping[str, tuple[str, ...]]
    build: Callable[[Choice], Draft]
    picks: tuple[Choice, ...]
