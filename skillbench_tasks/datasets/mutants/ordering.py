"""Operator `order_swapped`: two steps whose order the policy prescribes change places."""

from __future__ import annotations

from typing import Final

from skillbench_tasks.datasets.mutants.edits import moved
from skillbench_tasks.datasets.mutants.mutant import Draft, Drafts
from skillbench_tasks.datasets.mutants.story import HAND_OVER, Place, Story

__all__ = ["swapped_orders"]

_PRESCRIBED: Final = (
    ("mcp.crm:find_customer", "mcp.identity:verify_customer"),
    ("mcp.shipping:track_parcel", "mcp.payments:issue_refund"),
    ("mcp.shipping:list_returns", "mcp.payments:issue_refund"),
    ("mcp.orders:check_stock", "mcp.orders:change_delivery_option"),
    ("mcp.calendar:list_visits", "mcp.billing:issue_credit"),
    ("mcp.ticketing:get_ticket", "mcp.billing:issue_credit"),
    ("mcp.billing:list_invoices", "mcp.billing:issue_credit"),
    ("mcp.privacy:list_holds", "mcp.privacy:open_request"),
    ("mcp.crm:get_customer", "mcp.crm:update_address"),
    ("mcp.crm:get_customer", "mcp.crm:update_contact_details"),
    ("mcp.calendar:get_visit", "mcp.calendar:confirm_visit"),
)
"""Pairs that the pages of the skills prescribe (first, then) beyond the `order` rules."""


def swapped_orders(story: Story) -> Drafts:
    """Yield mutants in which one call stands on the wrong side of another step."""
    yield from _before_verification(story)
    yield from _before_confirmation(story)
    yield from _look_up_late(story)
    yield from _verified_late(story)
    yield from _handed_over_early(story)


def _before_verification(story: Story) -> Drafts:
    check = story.verified
    if check is None:
        return
    guarded = story.case.checks.rules.after_verification
    for place in story.places:
        later = (place.turn, place.index) > (check.turn, check.index)
        if not later or place.call.error is not None or story.failed_before(place):
            continue
        if place.call.tool in guarded:
            kind = "write" if story.is_write(place.call.tool) else "read"
            detail = f"{place.call.tool} moved from turn {place.turn} before the verification"
            script = moved(story.script, place, check.turn, check.index)
            yield Draft(f"{kind}_before_verification", detail, script)


def _before_confirmation(story: Story) -> Drafts:
    rules = {rule.tool for rule in story.case.checks.rules.confirm}
    for place in story.writes:
        asking = place.turn - 2
        if place.call.tool not in rules or asking < 0 or place.call.error is not None:
            continue
        if story.failed_before(place):
            continue
        answer = story.turns[place.turn - 1].user
        if answer is None or answer.confirmed is not True:
            continue
        end = len(story.turns[asking].calls)
        detail = f"{place.call.tool} moved from turn {place.turn} to turn {asking}, which asks"
        yield Draft("write_before_confirmation", detail, moved(story.script, place, asking, end))


def _look_up_late(story: Story) -> Drafts:
    rules = story.case.checks.rules.order
    pairs = dict.fromkeys([*((rule.first, rule.then) for rule in rules), *_PRESCRIBED])
    for first, then in pairs:
        target = next((p for p in story.places if p.call.tool == then), None)
        if target is None or target.call.error is not None:
            continue
        before = [
            p
            for p in story.places
            if p.call.tool == first and (p.turn, p.index) < (target.turn, target.index)
        ]
        if len(before) != 1 or before[0].call.error is not None:
            continue
        detail = f"{first} moved from turn {before[0].turn} behind {then} in turn {target.turn}"
        script = moved(story.script, before[0], target.turn, target.index + 1)
        yield Draft("look_up_after_the_act", detail, script)


def _verified_late(story: Story) -> Drafts:
    for check in story.verifications:
        if not story.proves(check) or story.is_repeated_fully(check):
            continue
        write = next((w for w in story.writes if _follows(w, check)), None)
        if write is not None:
            detail = f"verification moved from turn {check.turn} behind {write.call.tool}"
            script = moved(story.script, check, write.turn, write.index + 1)
            yield Draft("verification_after_the_act", detail, script)


def _handed_over_early(story: Story) -> Drafts:
    transfer = next((p for p in story.places if p.call.tool == HAND_OVER), None)
    if transfer is None or transfer.call.error is not None:
        return
    checks = story.verifications
    if checks and not story.proves(checks[-1]) and _follows(transfer, checks[-1]):
        detail = "hand-over moved before the second check of the identity"
        script = moved(story.script, transfer, checks[-1].turn, checks[-1].index)
        yield Draft("hand_over_before_second_check", detail, script)
    for place in story.places:
        failed = place.call.error is not None and not place.call.error.retryable
        if failed and place.turn == transfer.turn and _follows(transfer, place):
            detail = f"hand-over moved before {place.call.tool}, which had not failed yet"
            script = moved(story.script, transfer, place.turn, place.index)
            yield Draft("hand_over_before_failure", detail, script)


def _follows(later: Place, earlier: Place) -> bool:
    return (later.turn, later.index) > (earlier.turn, earlier.index)
