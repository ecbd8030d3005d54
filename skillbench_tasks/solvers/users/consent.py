"""Which named action a request for a yes means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

__all__ = ["action_score", "asked_action", "covers"]

_SYNONYMS: dict[str, str] = {
    "reschedule": r"reschedul\w*|mov(?:e|ed|ing)\b|rebook\w*|(?:new|different) (?:date|time|slot)|"
    r"postpon\w*|"
    r"chang\w+ (?:the |your )?(?:visit|appointment|date|booking)|push\w*",
    "visit": r"visit\w*|appointment\w*|technician|booking",
    "appointment": r"visit\w*|appointment\w*|technician|booking",
    "technician": r"technician\w*|engineer|visit|appointment",
    "book": r"book\w*|schedul\w*|reserv\w*",
    "schedule": r"book\w*|schedul\w*",
    "cancel": r"cancel\w*",
    "cancellation": r"cancel\w*",
    "refund": r"refund\w*|money back|\$[\d.,]+ back|back to your (?:original|card|payment)|"
    r"reimburs\w*",
    "return": r"return\w*|send (?:it|them) back",
    "exchange": r"exchang\w*|swap\w*",
    "replace": r"replac\w*|swap\w*",
    "replacement": r"replac\w*|swap\w*",
    "credit": r"credit\w*",
    "transfer": r"transfer\w*|connect\w* you|hand\w* (?:you|this|it|over)|specialist|escalat\w*|"
    r"colleague|human|(?:pass|send|forward|giv)\w* (?:you|this|it|that)",
    "escalate": r"escalat\w*|transfer\w*|specialist|supervisor|hand\w* (?:you|this)",
    "human": r"human|agent|person|specialist|colleague",
    "address": r"address\w*|ship\w* to|deliver\w* to",
    "phone": r"phone|number|mobile|cell",
    "email": r"email\w*",
    "name": r"name\b",
    "contact": r"contact|phone|email|number",
    "notes": r"notes?\b|instructions|access|gate|code",
    "note": r"notes?\b|instructions|access|gate|code",
    "annotate": r"notes?\b|instructions|access|gate",
    "access": r"access|gate|entry|buzzer|copy of",
    "delete": r"delet\w*|eras\w*|remov\w*",
    "deletion": r"delet\w*|eras\w*",
    "correct": r"correct\w*|fix\w*",
    "correction": r"correct\w*|fix\w*",
    "export": r"export\w*|copy|download|send you",
    "data": r"data|records?|information",
    "unsubscribe": r"unsubscrib\w*|opt\w* (?:you )?out|stop\w*|turn\w* off",
    "optout": r"unsubscrib\w*|opt\w* (?:you )?out",
    "preference": r"preferences?|email|texts?|sms|messages?|notifications?|opt\w*",
    "preferences": r"preferences?|email|texts?|sms|messages?|notifications?|opt\w*",
    "promo": r"promo\w*|code|discount|coupon|voucher",
    "offer": r"offers?|promo\w*|discount|deal",
    "coupon": r"coupon|voucher|code|promo\w*",
    "scope": r"scope|cover\w*|limit\w*|narrow\w*|cut\w* down|instead of all",
    "review": r"review\w*|(?:another|second|closer) look|look\w* (?:at|into) (?:it|this|that)|"
    r"check\w* (?:it )?again",
    "restart": r"restart\w*|reboot\w*|power[- ]cycl\w*|reset\w*",
    "reset": r"reset\w*|restart\w*|reboot\w*",
    "dispute": r"disput\w*|contest\w*",
    "charge": r"charges?|fees?",
    "waive": r"waiv\w*|remov\w*",
    "ticket": r"tickets?|case",
    "plan": r"plan|package",
    "item": r"item\w*|product",
    "quantity": r"quantit\w*|units?",
    "payment": r"payments?|pay\b",
    "bill": r"bill\w*|invoice\w*|charges?",
    "order": r"order\w*",
    "close": r"clos\w*",
    "voucher": r"vouchers?|code|store credit",
    "store": r"store",
    "joins": r"join\w*|hop on|come (?:on|to|online)|on (?:the|this) (?:line|chat)|available|around",
}
# Words of names that say little about which action it is.
_GENERIC = frozenset(
    (
        "issue",
        "make",
        "apply",
        "set",
        "create",
        "accept",
        "update",
        "change",
        "add",
        "send",
        "do",
        "to",
        "the",
        "of",
        "my",
        "confirm",
        "request",
        "a",
        "start",
        "open",
        "file",
        "new",
        "get",
    )
)

_WEAK: dict[str, str] = {
    "update": r"updat\w*|chang\w*|set\b|switch\w*|sav\w*",
    "change": r"chang\w*|updat\w*|switch\w*|swap\w*",
    "add": r"add\w*|put\b|not(?:e|ing)\b",
    "issue": r"issu\w*",
    "apply": r"appl\w*",
    "send": r"send\w*|sent",
    "create": r"creat\w*|open\w*",
    "open": r"open\w*|creat\w*",
    "file": r"fil(?:e|ed|ing)\b|submit\w*",
    "set": r"set\b|updat\w*",
}


@cache
def _word_pattern(word: str) -> re.Pattern[str]:
    body = (
        _SYNONYMS.get(word) or _WEAK.get(word) or rf"{re.escape(word[: max(4, len(word) - 2)])}\w*"
    )
    return re.compile(rf"\b(?:{body})")


def action_score(name: str, text: str) -> float:
    """Return how well a lower-case text fits an action's name: 0 (not at all) to 1."""
    words = re.split(r"[_\W]+", name.lower().replace("opt_out", "optout"))
    telling = [word for word in words if word and word not in _GENERIC]
    if not telling:
        telling = [word for word in words if word]
    hits = sum(bool(_word_pattern(word).search(text)) for word in telling)
    weak = [word for word in words if word in _WEAK and word not in telling]
    bonus = 0.1 if any(_word_pattern(word).search(text) for word in weak) else 0.0
    return hits / len(telling) + bonus if hits else 0.0


def asked_action(names: Iterable[str], *texts: str) -> str:
    """Return the name that fits the first text that any name fits, or "" where none stands out.

    Args:
        names: Names of actions.
        texts: Lower-case texts, the most telling first.
    """
    for text in texts:
        scores = sorted(((action_score(name, text), name) for name in names), reverse=True)
        scores = [(score, name) for score, name in scores if score >= 0.5]
        if scores and (len(scores) == 1 or scores[0][0] > scores[1][0]):
            return scores[0][1]
    return ""


def covers(request: str, text: str) -> bool:
    """Return whether a lower-case report of something done is about a request."""
    return action_score(request, text) >= 0.5
