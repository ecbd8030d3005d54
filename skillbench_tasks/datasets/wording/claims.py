"""Claims of done actions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pydantic import JsonValue

from skillbench_tasks.datasets.wording.sentences import sentences

__all__ = ["claims_in", "is_transfer", "words_of"]

_DONE = (
    r"(?:refunded|cancel(?:l)?ed|booked|rescheduled|moved|updated|changed|issued|submitted"
    r"|processed|placed|sent|added|removed|created|opened|filed|logged|applied|credited|scheduled"
    r"|transferred|escalated|upgraded|downgraded|activated|deactivated|blocked|unblocked|unlocked"
    r"|locked|reset|replaced|ordered|arranged|recorded|reported|extended|waived|registered"
    r"|completed|enrolled|reversed|redirected|paused|resumed|renewed|closed|swapped|switched"
    r"|corrected|set up|put through|handed|passed|connected|reserved|adjusted|disputed|frozen)"
)
_ADVERB = (
    r"(?: (?:just|now|already|also|both|all|successfully|gone ahead and|therefore|officially))*"
)
_CLAIMS = (
    re.compile(rf"\b(?:i|we)(?:'ve| have){_ADVERB} (?P<done>{_DONE})\b"),
    re.compile(rf"\b(?:i|we)(?: (?:just|also|successfully|went ahead and))+ (?P<done>{_DONE})\b"),
    re.compile(rf"(?:^|, (?:and|so) |; )(?:i|we) (?P<done>{_DONE})\b"),
    re.compile(
        rf"\b(?:has|have)(?: now| just| all| both| successfully)* been{_ADVERB} (?P<done>{_DONE})\b"
    ),
    re.compile(rf"\b(?:is|are|'s|'re) (?:now|all|officially|successfully) (?P<done>{_DONE})\b"),
    re.compile(r"\byou(?:'re| are) (?:now )?(?P<done>all set|good to go|booked(?: in)?)\b"),
    re.compile(
        r"\b(?:that|it|this|everything|which)(?:'s| is) (?:now |all )*"
        r"(?P<done>done|taken care of|sorted|in place|complete)\b"
    ),
    re.compile(r"^\W*(?:all )?(?P<done>done)\b(?! (?:with|by))"),
)
_UNDONE = re.compile(
    r"\b(?:once|after|when|until|if|before|unless|as soon as|whether|as though|cannot|can't|not"
    r"|never|nothing|no \w+|haven't|hasn't|will|won't|would|should|by the time)\b[^,;]*$"
)
_TRANSFER = re.compile(r"\b(?:transferred|escalated|handed|passed|connected|put through|sent)\b")
_BY_AGENT = re.compile(r"\W*(?:and |so )?(?:i|we)\b")


def claims_in(text: str, reported: Iterable[str] = ()) -> list[str]:
    """Return the words of `text` that claim a done action, in order.

    A claim is what the agent says it has done ("I've moved…"), or what "has been" or "is now" done.
    Conditions, denials, questions and what lies ahead are none, and neither are deeds without a
    doer that the records report: those whose word is one of `reported`.

    Args:
        text: A message of the agent.
        reported: Words that stand in the results of calls, such as the status of an order.
    """
    known = set(reported)
    found = []
    for sentence in sentences(text.replace("’", "'")):
        said = sentence.lower()
        if said.endswith("?"):
            continue
        for pattern in _CLAIMS:
            match = pattern.search(said)
            if match is None or _UNDONE.search(said, 0, match.start("done")):
                continue
            by_agent = _BY_AGENT.match(match[0])
            if by_agent or match["done"].replace("canceled", "cancelled") not in known:
                found.append(match[0].strip(" ,;"))
                break
    return found


def is_transfer(claim: str) -> bool:
    """Return whether a claim is one of having handed the user over."""
    return bool(_TRANSFER.search(claim))


def words_of(values: Iterable[JsonValue]) -> set[str]:
    """Return the words in the strings within some values, in lower case."""
    words: set[str] = set()
    for value in values:
        match value:
            case str():
                words.update(re.findall(r"[a-z]+", value.lower().replace("canceled", "cancelled")))
            case dict():
                words |= words_of(value.values())
            case list():
                words |= words_of(value)
            case _:
                pass
    return words
