"""The user's wording: short lines by persona, chosen by a digest of the scenario's id."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

from skillbench_tasks.models import Persona, SlotSpec

__all__ = ["Voice", "stopped"]

_PLAIN: dict[str, tuple[str, ...]] = {
    "lead": ("", "", "Sure. "),
    "yes": ("Yes, please go ahead.", "Yes, that's fine with me.", "Yes, please do."),
    "right": ("Yes, that's right.", "Yes, that's correct."),
    "no": ("No, thank you, I don't want that.", "No, I'd rather not."),
    "wrong": ("No, that's not right.", "Not quite."),
    "change": (
        "Actually, wait, I've changed my mind.",
        "Actually, hold on, I'd like something else.",
    ),
    "unable": ("I don't have that.", "I'm afraid I don't have that."),
    "again": ("Sorry, what do you need from me?",),
    "wait": ("Sure, I'll wait.",),
    "okay": ("Okay, thanks.", "Okay, thank you."),
    "thanks": (
        "Great, thank you. That's all I needed.",
        "Perfect, thanks for your help. That's everything.",
    ),
    "nothing": ("No, that's all. Thank you.", "No thanks, that's everything."),
    "transfer": ("Okay, thank you. I'll wait for them.", "All right, thanks for passing me on."),
    "scope": ("Okay, I understand. Thanks anyway.", "All right, then I'll leave it. Thanks."),
    "gave_up": ("I'll call another time.",),
    "complain": ("You've already sent me that.", "We've been over this already."),
    "restate": ("Like I said: {text}", "It's what I wrote at the start: {text}"),
    "remind": (
        "Thanks. There was one more thing, though: {text}",
        "Good. And my other request: {text}",
    ),
}
_STYLES: dict[str, dict[str, tuple[str, ...]]] = {
    "efficient": {"lead": ("", ""), "yes": ("Yes, please go ahead.", "Yes, go ahead.")},
    "frustrated": {
        "lead": ("Fine. ", "", "All right. "),
        "yes": ("Yes, just do it please.", "Yes. Please get it done."),
        "okay": ("Okay, fine.", "All right."),
        "complain": (
            "You keep sending me the same thing. This is really annoying.",
            "I've had enough of being asked the same thing.",
        ),
        "wait": ("Fine, I'll wait.",),
        "thanks": ("Finally. Thanks.", "Okay, good. Thank you, that's all."),
    },
    "vague": {
        "lead": ("Um, ", "", "Let me see. "),
        "yes": ("Yeah, I guess that's okay.", "Yes, that should be fine, I think."),
        "right": ("Yeah, that's it, I think.", "Yes, that sounds right."),
    },
    "chatty": {
        "lead": ("Of course! ", "Oh, sure, happy to. ", "Let me see. "),
        "yes": ("Oh yes, that would be lovely, please do.", "Yes, wonderful, go right ahead."),
        "thanks": (
            "Oh, that's wonderful, thank you so much. That was everything.",
            "Lovely, you've been a great help. That's all from me.",
        ),
    },
    "anxious": {
        "lead": ("I hope this is right. ", "", "Okay. "),
        "yes": ("Yes please, if that's really okay.", "Yes, please do, I hope that works."),
        "thanks": (
            "Oh, what a relief. Thank you, that's all.",
            "Thank you so much, I feel better now.",
        ),
    },
    "terse": {
        "lead": ("",),
        "yes": ("yes", "yes, go ahead"),
        "right": ("yes", "correct"),
        "no": ("no",),
        "unable": ("don't have that",),
        "okay": ("ok",),
        "wait": ("ok, waiting",),
        "thanks": ("thanks, that's all", "ok thanks"),
        "nothing": ("no, that's all",),
    },
    "elderly": {
        "lead": ("Let me find it. ", "Certainly. ", "One moment, I have it here. "),
        "yes": ("Yes, please do, that would be kind of you.", "Yes, dear, please do."),
        "thanks": (
            "Thank you ever so much, that was all.",
            "You have been most helpful. Thank you.",
        ),
    },
    "busy": {
        "lead": ("",),
        "yes": ("Yes, go for it.", "Yes, please, go ahead."),
        "thanks": ("Great, thanks, got to run.", "Perfect. Thanks, bye."),
    },
    "sceptical": {
        "lead": ("All right, if you need it. ", ""),
        "yes": ("Yes, as long as it's actually done.", "All right, yes. Go ahead."),
        "thanks": ("Good, I'll hold you to that. Thank you.", "All right, thanks. That's all."),
    },
    "polite": {
        "lead": ("Certainly. ", "Of course. "),
        "yes": ("Yes, please. Thank you.", "Yes, please go ahead, thank you."),
        "thanks": (
            "Thank you very much for your help, that's everything.",
            "That's wonderful, thank you kindly.",
        ),
    },
    "as_instructed": {"restate": ("{text}",)},  # whose opening is a greeting and no request
}
_BARE = frozenset({"terse"})  # personas who give the value alone
_NO_NOUN = re.compile(r"^(?:whether|why|what|since|how|where|kind|way)\b")
_OWN_SENTENCE_WORDS = 6


class Voice:
    """Words for what the user does. The same scenario and turn always give the same words."""

    def __init__(self, persona: Persona, seed: str, slots: Mapping[str, SlotSpec]) -> None:
        self._persona = persona.name
        self._lines = _PLAIN | _STYLES.get(persona.name, {})
        self._seed = seed
        self._slots = slots
        self._uses = 0

    def line(self, kind: str, text: str = "") -> str:
        """Return a line of a kind; `text` fills its place."""
        self._uses += 1
        variants = self._lines[kind]
        digest = hashlib.sha256(f"{self._seed}/{kind}/{self._uses}".encode()).digest()
        return variants[digest[0] % len(variants)].replace("{text}", text)

    def tell(self, told: Sequence[tuple[str, str]], *, is_first: bool = True) -> str:
        """Return a sentence or more that gives values, each with its slot."""
        if self._persona in _BARE:
            return ", ".join(value.rstrip(".") for _, value in told)
        apart = {slot for slot, value in told if _is_sentence(value)}
        if len(told) > 1:
            apart |= {slot for slot, _ in told if self._says_bare(slot)}
        whole = [value for slot, value in told if slot in apart]
        clauses = [self._clause(slot, value) for slot, value in told if slot not in apart]
        text = " and ".join([*([", ".join(clauses[:-1])] if clauses[1:] else []), *clauses[-1:]])
        is_choice = all(self._is_choice(slot) for slot, _ in told)
        lead = self.line("lead") if is_first and not is_choice else ""
        parts = [lead + (text if lead.endswith(", ") else _capital(text))] if text else []
        if not parts and whole:
            parts = [lead.rstrip()] if lead.endswith((". ", "! ")) else []
        return " ".join(
            [*(stopped(part) for part in parts), *(stopped(_capital(w)) for w in whole)]
        )

    def unable(self, missing: Sequence[str], is_alone: bool) -> str:
        """Return that the user does not have something."""
        if is_alone:
            return stopped(self.line("unable"))
        labels = [self._label(slot) for slot in missing]
        return f"I don't have {' or '.join(labels)}."

    def _is_choice(self, slot: str) -> bool:
        return slot in self._slots and self._slots[slot].type == "choice"

    def _says_bare(self, slot: str) -> bool:
        return slot in self._slots and self._slots[slot].say == "{value}"

    def _label(self, slot: str) -> str:
        label = self._slots[slot].label if slot in self._slots else slot.replace("_", " ")
        return "the other thing you asked for" if _NO_NOUN.match(label) else f"the {label}"

    def _clause(self, slot: str, value: str) -> str:
        say = self._slots[slot].say if slot in self._slots else "{value}"
        value = value.rstrip(".")
        article = re.match(r"(?:the|a|an|my|our)\b", value, re.I)
        if article:
            say = re.sub(r"\b(?:the|a|an) \{value\}", "{value}", say)
        return say.replace("{value}", value)


def _is_sentence(value: str) -> bool:
    return value.endswith((".", "!", "?")) or (
        len(value.split()) > _OWN_SENTENCE_WORDS and not re.match(r"^[\d+]", value)
    )


def _capital(text: str) -> str:
    first = text.split(" ", 1)[0]
    is_plain_word = first.replace("'", "").rstrip(",").isalpha() and first.islower()
    return text[0].upper() + text[1:] if is_plain_word else text


def stopped(text: str) -> str:
    """Return a sentence with its full stop."""
    text = text.strip()
    return text if not text or text[-1] in ".!?" else f"{text}."
