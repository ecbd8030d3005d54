"""A skill's policy sentence by sentence, with what grades each; and what is wrong with the map."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from skillbench_tasks.datasets.policy import (
    POLICY_FILE,
    entry_matters,
    policy_sentences,
    rule_names,
)
from skillbench_tasks.models import Case, PolicyEntry, Skill

__all__ = ["policy_draft", "policy_faults", "policy_lines", "policy_page"]


def policy_faults(skill: Skill, cases: Sequence[Case]) -> Iterator[str]:
    """Yield what is wrong with a skill's map, a line each.

    Both ways: a sentence that nothing accounts for, an entry that leads nowhere; and a rule, a
    required tool or a fact to be told that no sentence of the page asks for.

    Args:
        skill: The skill.
        cases: All its cases.
    """
    where = f"{skill.name}/{POLICY_FILE}"
    if skill.policy is None:
        yield f"{where}: the file is missing: `skillbench policy {skill.name} --draft` prints one"
        return
    sentences = {s.key: s for s in policy_sentences(skill.instructions)}
    entries = skill.policy.sentences
    for key, sentence in sentences.items():
        if key not in entries:
            yield f"{where}: {key}: unmapped sentence {sentence.text!r}: say what grades it"
    for key, entry in entries.items():
        if key not in sentences:
            yield f"{where}: {key}: no sentence of SKILL.md has this key: it was changed or moved"
        for matter, ids in entry_matters(entry, cases):
            if not ids:
                yield f"{where}: {key}: {matter}: no case of the skill checks this: mend the name"
    yield from (f"{where}: {fault}" for fault in _unasked(entries.values(), cases))


def _unasked(entries: Collection[PolicyEntry], cases: Sequence[Case]) -> Iterator[str]:
    rules = {name for entry in entries for name in entry.rule}
    told = {name for entry in entries for name in entry.told}
    checked = {name for case in cases for name in rule_names(case.checks.rules)}
    checked = {name for name in checked if not name.startswith("never_ask.")}  # of the house
    checked = {name for name in checked if not name.startswith("places.")}  # told by their facts
    for name in sorted(checked - rules):
        yield f"rule {name}: no sentence of the page is mapped to it: map it, or take the rule out"
    must = {fact.name for case in cases for fact in case.checks.must_say}
    for name in sorted(must - told):
        yield f"told {name}: no sentence of the page asks for it: map it, or take `must` out"


def policy_lines(skill: Skill, cases: Sequence[Case]) -> Iterator[str]:
    """Yield each sentence of the page, and under it what grades it and in how many cases."""
    entries = skill.policy.sentences if skill.policy else {}
    section = ""
    for sentence in policy_sentences(skill.instructions):
        if sentence.section != section:
            section = sentence.section
            yield f"# {section}"
        yield f"{sentence.key}  {sentence.text}"
        entry = entries.get(sentence.key)
        if entry is None:
            yield "    ✗ unmapped"
            continue
        for matter, ids in entry_matters(entry, cases):
            yield f"    ✓ {matter}: {_cases(ids, len(cases))}"
        if entry.judges:
            yield f"    ⚖ judges ({', '.join(entry.judges)}): {entry.because}"
        if entry.background:
            yield f"    · no demand: {entry.background}"


def _cases(ids: Sequence[str], of: int) -> str:
    if of == 1:
        return "in this case" if ids else "not in this case"
    if len(ids) == of:
        return f"all {of} cases"
    return ", ".join(name.partition(".")[2] for name in ids) or "no case"


def policy_page(skill: Skill, cases: Sequence[Case]) -> str:
    """Return the map of a skill as people read it, with its count of sentences."""
    sentences = policy_sentences(skill.instructions)
    entries = skill.policy.sentences if skill.policy else {}
    graded = [entries[s.key] for s in sentences if s.key in entries]
    n_judges = sum(bool(e.judges) and not any(entry_matters(e, ())) for e in graded)
    n_background = sum(bool(e.background) for e in graded)
    n_checked = len(graded) - n_judges - n_background
    head = (
        f"{skill.name}: {len(sentences)} sentences; {n_checked} checked, {n_judges} left to the "
        f"judges, {n_background} without a demand, {len(sentences) - len(graded)} unmapped"
    )
    return "\n".join([head, "", *policy_lines(skill, cases)])


def policy_draft(skill: Skill) -> str:
    """Return a policy.yaml to fill in: each sentence as a comment above its key.

    Entries that are there are kept where their sentence is, wherever it has moved to.
    """
    entries = skill.policy.sentences if skill.policy else {}
    old = {key.partition("-")[2]: entry for key, entry in entries.items()}
    lines = []
    for sentence in policy_sentences(skill.instructions):
        entry = old.get(sentence.key.partition("-")[2])
        data = entry.model_dump_json(exclude_defaults=True) if entry else ""
        lines += [f"# {sentence.text}", f"{sentence.key}: {data}".rstrip(), ""]
    return "\n".join(lines)
