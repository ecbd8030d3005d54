"""The splits of the shipped conversations in figures."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from skillbench_tasks.datasets.conversations import open_conversations
from skillbench_tasks.datasets.ngrams import NGRAM_WORDS, agent_texts, overlapping
from skillbench_tasks.datasets.split_building import OVERLAP_BOUND, build_splits
from skillbench_tasks.datasets.splits import Split, load_splits, novelty_of
from skillbench_tasks.models.conversation import Conversation
from skillbench_tasks.reports.text_table import Row, text_table

__all__ = ["split_json", "split_page"]

_HEAD: Row = ("", "conversations", "without tools", "decisions", "text", "tool", "median", "range")


def split_page() -> str:
    """Return the figures of the stored splits: by split, by kind, and the overlap of wording."""
    splits = load_splits()
    conversations = list(open_conversations().conversations())
    of_split = {
        split: [one for one in conversations if one.id in splits.ids(split)] for split in Split
    }
    rows = [_row(str(split), found) for split, found in of_split.items()]
    held = of_split[Split.EVALUATION]
    rows[1:1] = [
        _row(f"  {name}", [one for one in held if novelty_of(one) == name])
        for name in ("seen_skill", "unseen_skill")
    ]
    rows.append(_row("all", conversations))
    return "\n\n".join([text_table(_HEAD, rows), _by_kind(of_split), *_overlaps(of_split)])


def split_json() -> str:
    """Return the splits made anew from what ships, in the form in which they are stored."""
    return build_splits(open_conversations().conversations()).model_dump_json(indent=2)


def _row(name: str, conversations: Sequence[Conversation]) -> Row:
    counts = [len(one.decisions) for one in conversations]
    tools = [sum(step.step == "called" for step in one.steps) for one in conversations]
    texts = sum(counts) - sum(tools)
    figures = (len(conversations), tools.count(0), sum(counts), texts, sum(tools))
    middle = f"{median(counts):g}"
    return (name, *(str(n) for n in figures), middle, f"{min(counts)}-{max(counts)}")


def _by_kind(of_split: dict[Split, list[Conversation]]) -> str:
    """Return conversations and decisions (text, tool) of each kind in each split."""
    kinds = sorted({one.kind for found in of_split.values() for one in found})
    rows = []
    for kind in kinds:
        cells = [_cell([one for one in found if one.kind == kind]) for found in of_split.values()]
        rows.append((kind, *cells))
    return text_table(("conversations: text + tool decisions", *map(str, of_split)), rows)


def _cell(conversations: Sequence[Conversation]) -> str:
    texts = len(agent_texts(conversations))
    decisions = sum(len(one.decisions) for one in conversations)
    return f"{len(conversations)}: {texts} + {decisions - texts}"


def _overlaps(of_split: dict[Split, list[Conversation]]) -> list[str]:
    evaluation = agent_texts(of_split[Split.EVALUATION])
    learned = agent_texts(of_split[Split.TRAIN])
    lines = []
    for name, more in (("training", []), ("training or validation", of_split[Split.VALIDATION])):
        shared = overlapping(evaluation, [*learned.values(), *agent_texts(more).values()])
        share = len(shared) / len(evaluation)
        lines.append(
            f"{len(shared)} of {len(evaluation)} evaluation texts ({share:.1%}) share "
            f"{NGRAM_WORDS} words in a row with {name} (bound {OVERLAP_BOUND:.0%})"
        )
    return lines
