"""What a request for a yes is about: a change, a record found, the result of a step."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = [
    "IDENTIFIES",
    "NAMES_NOTHING",
    "POINTS_OUT",
    "STEP_REPORT",
    "after_but",
    "is_bare",
    "is_proposal",
    "options_in",
]

_PROPOSAL = re.compile(
    r"\b(?:mov|reschedul|chang|updat|book|new|switch|set|to|like|want|prefer)\w*"
    r"|\bplan\b|\bshould\b|\binstal\w+|\bwould (?:then |now )?be\b|\b(?:i|we)(?:'d|'ll| would|"
    r" will) (?!like|need|have)\w+"
)


_AS_IT_IS = re.compile(r"\b(?:current(?:ly)?|existing|scheduled for|at the moment|on file|see)\b")


_CHANGING = re.compile(r"\b(?:mov|reschedul|chang|updat|new|switch|instead)\w*")


# A request for a yes that names nothing: it is about the one action that is open.
NAMES_NOTHING = re.compile(
    r"(?:\W|\b(?:shall|should|may|can|could|do|does|is|are|would|will|i|we|you|have|"
    r"your|me|to|the|a|this|that|these|it|with|so|"
    r"go|ahead|proceed|continue|ok|okay|alright|right|correct|good|fine|look|sound|"
    r"work|all|everything|please|confirm|reply|yes|"
    r"permission|approval|consent|make|change|changes|now|below|following|information|for|if|and|"
    r"agree|i'll|once|"
    r"before|let|know|then|will|ready|like|want|sure|happy|details|above|summary)\b)+"
)


# "Is that the visit you'd like to move?" finds a record; it asks for no yes to a change.
POINTS_OUT = re.compile(
    r"\b(?:is (?:that|this|it) the (?:right |correct )?|right |correct )(?:one|visit|"
    r"appointment|order|item|charge|bill|account|plan)\b"
)


# "It's the queen cover you want removed?" states which thing is meant.
IDENTIFIES = re.compile(
    r"\b(?:it is|is it|it's|you want|you mean|you(?: would|'d) like|(?:is|was) (?:this|that)|"
    r"(?:this|that) is|talking about|you(?:'re| are) (?:after|returning|asking))\b"
)


# "Unplug it, and let me know if that works" wants the result of the step, not a yes.
STEP_REPORT = re.compile(
    r"\b(?:unplug|restart|reboot|power[- ]cycl|plug|reset)[\s\S]*\b(?:let me know|"
    r"tell me) (?:if|whether|when|how)\b"
)


# In "8 to 12" nothing is to be done.
_FROM_TO = re.compile(r"(?<=\d|m) ?(?:to|until) (?=\d)")


_BARE_WORDS = 9


def is_proposal(text: str) -> bool:
    """Whether values in a text are what the agent would set, not what is set now."""
    text = _FROM_TO.sub(" ", text)
    is_present = _AS_IT_IS.search(text) and not _CHANGING.search(text)
    return bool(_PROPOSAL.search(text)) and not is_present


def after_but(text: str) -> str:
    """Return what stands after the last "but"."""
    return re.split(r"\b(?:but|however)\b", text)[-1]


def is_bare(text: str) -> bool:
    """Whether a question says little of its own: "Is that okay?", "Shall I go ahead?"."""
    return len(text.split()) <= _BARE_WORDS


# Words of the options by which a choice slot is offered, where no option equals the fact.
_OPTIONS = {
    "resolution": re.compile(r"\b(?:refund|exchange|replacement|store credit|money back)\b"),
    "preference_channel": re.compile(r"\b(?:emails?|texts?|sms|phone|post|mail|app)\b"),
    "delivery_format": re.compile(r"\b(?:pdf|csv|paper|electronic\w*|digital\w*|printed|mail)\b"),
    "request_type": re.compile(r"\b(?:copy|access|correct|delet|eras|object|port|restrict)"),
    "data_scope": re.compile(r"\b(?:everything|all|contact|transaction|marketing|recording)"),
    "connection_type": re.compile(r"\b(?:wifi|wired|wireless(?:ly)?|ethernet|cable)\b"),
}


def options_in(text: str, known: Iterable[str]) -> list[str]:
    """Return the slots among `known` of which a lower-case text offers several options."""
    if not re.search(r"\bor\b", text):
        return []
    return [s for s in known if s in _OPTIONS and len(set(_OPTIONS[s].findall(text))) > 1]
