"""Scenarios and agent messages, in the styles of many models, with what the user must do."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from skillbench_tasks.models import Scenario

__all__ = ["CASES", "SCENARIOS", "MessageCase"]


class MessageCase(NamedTuple):
    """A first agent message after the opening: acts that must be there; `exact` allows no other."""

    scenario: str
    message: str
    acts: frozenset[str]
    end: str | None = None


def _scenario(name: str, **fields: Any) -> Scenario:
    base: dict[str, Any] = {
        "id": f"{name}.straightforward",
        "kind": "straightforward",
        "title": name,
        "customer": "CUS-1",
        "persona": "polite",
        "goal": "You want help.",
        "requests": ["request"],
        "outcome": "resolved",
        "success_criteria": ["a", "b"],
        "checklist": ["a", "b"],
    }
    return Scenario.model_validate(base | fields)


SCENARIOS: dict[str, Scenario] = {
    "visit": _scenario(
        "technician-visit",
        requests=["reschedule"],
        opening="Hi, I need to move my technician visit to another day.",
        facts={
            "full_name": "Dana Whitlock",
            "phone": "404-555-0132",
            "postcode": "30316",
            "security_word": "marigold",
            "new_date": "2026-03-17",
            "time_window": "08:00-12:00",
            "access_notes": "the gate code is 4417",
            "date_of_birth": "1984-06-09",
        },
        says={"new_date": "Tuesday, March 17"},
        unknown=["account_number"],
        answers={"reschedule_visit": True},
    ),
    "internet": _scenario(
        "internet-trouble",
        requests=["fix_internet"],
        opening="Good morning, my internet has been acting up and I can't work like this.",
        facts={
            "full_name": "Omar Reyes",
            "account_number": "ACC-20441",
            "postcode": "60614",
            "issue_description": "the connection drops every few minutes",
            "lights_status": "the internet light is blinking red",
            "already_restarted": "yes, I restarted it twice already",
            "step_result": "no, still the same",
            "issue_start": "since Monday evening",
            "devices_affected": "all of them",
            "connection_type": "wifi",
        },
    ),
    "bill": _scenario(
        "bill-question",
        requests=["explain_charge"],
        opening="Hello, there's something on my bill that I don't understand.",
        facts={
            "full_name": "Priya Nair",
            "email": "priya.nair@example.com",
            "account_number": "ACC-77102",
            "security_pin": "5821",
            "invoice_month": "February",
            "charge_name": "equipment fee",
            "charge_amount": "14.99",
        },
    ),
    "refund": _scenario(
        "refund-request",
        requests=["refund"],
        opening="Hi, I'd like my money back for something I ordered.",
        facts={
            "full_name": "Lena Ortiz",
            "email": "lena.ortiz@example.com",
            "order_id": "ORD-58213",
            "item": "blue ceramic kettle",
            "refund_reason": "the lid does not close properly",
            "item_condition": "unused, in its original box",
            "resolution": "a refund",
            "postcode": "97205",
            "card_last4": "8806",
        },
        answers={"issue_refund": True, "store_credit": False},
    ),
    "order": _scenario(
        "order-change",
        requests=["change_address"],
        opening="Hello, I need to change where my order is going.",
        facts={
            "full_name": "Ben Carter",
            "email": "ben.carter@example.com",
            "order_id": "ORD-77410",
            "address": "88 Pine Road, Salem",
            "new_address": "412 Alder Street, Apt 9, Portland, OR 97209",
            "postcode": "97301",
        },
    ),
    "contact": _scenario(
        "contact-details",
        requests=["update_phone"],
        opening="Hi, some of my contact details are out of date.",
        facts={
            "full_name": "Ruth Adler",
            "member_number": "MEM-30117",
            "phone": "512-555-0148",
            "new_phone": "512-555-0199",
            "date_of_birth": "1971-11-02",
            "security_word": "harbor",
            "email": "ruth@example.com",
            "new_email": "ruth.adler@example.com",
        },
    ),
    "data": _scenario(
        "data-request",
        requests=["data_copy"],
        opening="Hello, I have a request about the data you keep on me.",
        facts={
            "full_name": "Sam Okafor",
            "member_number": "MEM-41220",
            "date_of_birth": "1990-01-25",
            "request_type": "a copy of my data",
            "date_range": "the last two years",
            "delivery_format": "PDF",
            "email": "sam.okafor@example.com",
        },
    ),
    "offers": _scenario(
        "offers-and-preferences",
        requests=["apply_promo"],
        opening="Hi, I can't get my discount to work.",
        facts={
            "full_name": "Mia Chen",
            "email": "mia.chen@example.com",
            "promo_code": "SPRING15",
            "preference_channel": "email",
            "preference_topic": "weekly newsletter",
            "contact_frequency": "once a month",
        },
    ),
}

_MESSAGES = Path(__file__).with_name("agent_messages.txt")


def _cases() -> tuple[MessageCase, ...]:
    found = []
    for line in _MESSAGES.read_text(encoding="utf-8").splitlines()[1:]:
        scenario, message, acts, *end = (field.strip() for field in line.split(" | "))
        text = message.replace("\\n", "\n")
        found.append(MessageCase(scenario, text, frozenset(acts.split()), end[0] if end else None))
    return tuple(found)


CASES = _cases()
