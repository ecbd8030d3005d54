"""Operator `confirmation_skipped`: a write without a yes to what it does."""

from __future__ import annotations

from typing import Final, NamedTuple

from skillbench_tasks.datasets.mutants.edits import agent, reworded, spliced, user
from skillbench_tasks.datasets.mutants.mutant import Draft, Drafts
from skillbench_tasks.datasets.mutants.story import Story, pick
from skillbench_tasks.datasets.script import Script

__all__ = ["asked_and_done", "asking_removed", "skipped_confirmations"]

_NO: Final = (
    "No, please don't do that.",
    "No. Leave it the way it is.",
    "No, on second thought I'd rather not.",
    "Stop, no, I don't want that after all.",
)
_HESITATION: Final = (
    "Hm, I'm not sure. Let me think about it.",
    "Wait, I'd have to ask my partner first.",
    "I don't know yet, can I get back to you on that?",
    "Give me a moment, I need to think that over.",
)
_BLIND: Final = (
    "Shall I go ahead with it?",
    "May I do that for you now?",
    "Good. Is it all right if I take care of that?",
)
_AFTERTHOUGHT: Final = ("Is that all right with you?", "That was what you wanted, wasn't it?")


class _Pair(NamedTuple):
    """A message that asks for a yes and the turn that acts on it, two turns later."""

    asking: int
    acting: int
    tool: str


def skipped_confirmations(story: Story) -> Drafts:
    """Yield mutants whose write has no yes, or a yes to nothing that was said."""
    for pair in asked_and_done(story):
        yield from _answered_otherwise(story, pair)
        yield from _asked_blindly(story, pair)
        yield from _not_asked(story, pair)


def asked_and_done(story: Story) -> list[_Pair]:
    """Return where the agent asks for a yes and then writes."""
    rules = {rule.tool for rule in story.case.checks.rules.confirm}
    found: dict[int, _Pair] = {}
    for write in story.writes:
        asking = write.turn - 2
        if write.call.tool not in rules or asking < 0:
            continue
        answer = story.turns[write.turn - 1].user
        if answer is not None and answer.confirmed is True:
            found.setdefault(asking, _Pair(asking, write.turn, write.call.tool))
    return list(found.values())


def _answered_otherwise(story: Story, pair: _Pair) -> Drafts:
    answer, script = pair.asking + 1, story.script
    where = f"turn {answer}: the yes to {pair.tool} became"
    no = pick(_NO, story.case.id, answer)
    unsure = pick(_HESITATION, story.case.id, answer)
    yield Draft("yes_made_no", f"{where} a no", reworded(script, answer, no, ["refuse:"]))
    yield Draft("yes_made_doubt", f"{where} a doubt", reworded(script, answer, unsure, []))


def _asked_blindly(story: Story, pair: _Pair) -> Drafts:
    """The values are not told; only where the policy names them and nothing else is said."""
    stated = {r.tool: r.states for r in story.case.checks.rules.confirm}.get(pair.tool, ())
    calls = [c for c in story.turns[pair.acting].calls if c.tool == pair.tool]
    if any(name in calls[0].arguments for name in stated) and _only_asks(story, pair.asking):
        text = pick(_BLIND, story.case.id, pair.asking)
        detail = f"turn {pair.asking}: asks for a yes to {pair.tool} without saying to what"
        yield Draft("values_not_stated", detail, reworded(story.script, pair.asking, text))


def _not_asked(story: Story, pair: _Pair) -> Drafts:
    if not _only_asks(story, pair.asking):
        return
    script = asking_removed(story, pair.asking, pair.acting)
    changes = story.turns[pair.asking - 1].user
    again = changes is not None and bool(changes.changes)
    operator = "new_wish_not_confirmed" if again else "asking_removed"
    detail = f"turns {pair.asking}-{pair.asking + 1} removed: {pair.tool} without a yes"
    yield Draft(operator, detail, script)
    if pair.acting == story.last:
        turn = script.turns[pair.asking]
        text = f"{turn.text} {pick(_AFTERTHOUGHT, story.case.id)}"
        late = spliced(
            script,
            pair.asking,
            pair.asking + 1,
            turn.model_copy(update={"text": text}),
            user("Yes, that's fine.", "confirm:"),
            agent("Thank you, good to know."),
        )
        yield Draft("asked_afterwards", f"turn {pair.asking}: {pair.tool}, asked after it", late)


def asking_removed(story: Story, asking: int, acting: int) -> Script:
    """Return the script without the asking message and its answer; its calls stay."""
    script = story.script
    calls = (*script.turns[asking].calls, *script.turns[acting].calls)
    merged = script.turns[acting].model_copy(update={"calls": calls})
    return spliced(script, asking, acting + 1, merged)


def _only_asks(story: Story, turn: int) -> bool:
    return all(act.kind == "confirm" for act in story.turns[turn].acts)
