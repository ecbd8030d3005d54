"""Operator `wrong_argument`: one argument of a consequential call has another value."""

from __future__ import annotations

from typing import Final

from skillbench_tasks.datasets.mutants.edits import with_arguments
from skillbench_tasks.datasets.mutants.mutant import Draft, Drafts
from skillbench_tasks.datasets.mutants.story import Place, Story, is_lost
from skillbench_tasks.datasets.mutants.values import other_values

__all__ = ["wrong_arguments"]

_FACTORS: Final = (
    "full_name", "postcode", "date_of_birth", "security_word", "email", "account_pin_last2",
)  # fmt: skip


def wrong_arguments(story: Story) -> Drafts:
    """Yield mutants with one wrong argument: in writes, checks of identity, reads of a file."""
    for place in story.places:
        if place.call.error is not None and not is_lost(place):
            continue
        if place in story.verifications:
            yield from _wrong_check(story, place)
        elif story.is_write(place.call.tool):
            yield from _wrong_write(story, place)
        elif place.call.error is None:
            yield from _wrong_read(story, place)


def _wrong_write(story: Story, place: Place) -> Drafts:
    tool, arguments = place.call.tool, place.call.arguments
    for argument, value in arguments.items():
        for operator, other in other_values(story, tool, argument, value):
            if other == value:
                continue
            detail = f"turn {place.turn}: {tool} with {argument} {other!r}, not {value!r}"
            changed = {**arguments, argument: other}
            yield Draft(operator, detail, with_arguments(story.script, place, changed))


def _wrong_check(story: Story, place: Place) -> Drafts:
    """The check of a stranger's file, with a factor left out, or with a stranger's factor."""
    arguments, where = place.call.arguments, f"turn {place.turn}: identity checked"
    stranger = story.stranger("check", place.turn)
    if stranger is not None:
        changed = {**arguments, "customer_id": stranger}
        detail = f"{where} against the file {stranger}"
        yield Draft("file_of_another", detail, with_arguments(story.script, place, changed))
    if not story.proves(place) or story.is_repeated_fully(place):
        return
    record = story.world.get("customers", stranger or "") or {}
    factors = sum(name in arguments for name in _FACTORS) - 1
    for factor in _FACTORS:
        if factor not in arguments:
            continue
        if factor != "full_name" and factors > 1:
            changed = {k: v for k, v in arguments.items() if k != factor}
            detail = f"{where} without {factor}"
            script = with_arguments(story.script, place, changed)
            yield Draft("factor_left_out", detail, script)
        other = record.get(factor)
        if other is not None and other != arguments[factor]:
            changed = {**arguments, factor: other}
            detail = f"{where} with {factor} {other!r}, not {arguments[factor]!r}"
            yield Draft("other_factor", detail, with_arguments(story.script, place, changed))


def _wrong_read(story: Story, place: Place) -> Drafts:
    """A read that opens the record of another customer."""
    tool, arguments = place.call.tool, place.call.arguments
    if tool.endswith((":find_customer", ":list_transfers")):
        return
    for argument, value in arguments.items():
        if story.collection_of(argument) is None:
            continue
        for operator, other in other_values(story, tool, argument, value):
            if operator == "record_of_another":
                detail = f"turn {place.turn}: {tool} with {argument} {other!r}, not {value!r}"
                changed = {**arguments, argument: other}
                script = with_arguments(story.script, place, changed)
                yield Draft("file_of_another_opened", detail, script)
