"""Cases as people read them in a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from skillbench_tasks.models import Act, Case, Fact, GoldCall, GoldTurn, MustSay
from skillbench_tasks.reports.policy import policy_lines

__all__ = ["case_page", "case_table", "skeleton_page"]


def case_table(cases: Sequence[Case]) -> str:
    """Return one line for each case: id, industry, outcome, title."""
    rows = [(c.id, c.skill.industry, str(c.scenario.outcome), c.scenario.title) for c in cases]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    return "\n".join(
        "  ".join([*(cell.ljust(w) for cell, w in zip(row[:3], widths, strict=True)), row[3]])
        for row in rows
    )


def case_page(case: Case) -> str:
    """Return a case in full: policy, user, gold dialogue, checks."""
    parts = [
        ("Case", _summary(case)),
        ("Policy (what the agent sees)", case.skill.instructions),
        ("Policy, sentence by sentence", "\n".join(policy_lines(case.skill, [case]))),
        ("Tools", "\n".join(f"{name} ({access})" for name, access in case.checks.toolkit.items())),
        ("User", _user(case)),
        ("Gold dialogue", "\n".join(_dialogue(case.gold.turns))),
        ("Checks", _checks(case)),
    ]
    return "\n\n".join(f"== {title} ==\n{text}" for title, text in parts)


def skeleton_page(case: Case) -> str:
    """Return the skeleton on which a gold conversation is authored."""
    scenario = case.scenario
    head = [
        f"# {case.id}  skeleton {case.gold.skeleton}",
        f"persona: {scenario.persona}; goal: {scenario.goal}",
        f"opening: {scenario.opening}",
    ]
    if scenario.says:
        head.append(f"says: {json.dumps(scenario.says, ensure_ascii=False)}")
    return "\n".join([*head, *_dialogue(case.gold.turns)])


def _summary(case: Case) -> str:
    scenario = case.scenario
    return (
        f"{case.id}: {scenario.title}\n"
        f"{case.skill.industry} · {case.skill.category} · {scenario.kind} → {scenario.outcome}"
    )


def _user(case: Case) -> str:
    scenario = case.scenario
    lines = [f"persona: {scenario.persona}", f"goal: {scenario.goal}"]
    lines += [f"knows {name}: {_json(value)}" for name, value in scenario.facts.items()]
    lines += [f"does not have: {slot}" for slot in scenario.unknown]
    lines += [f"says no to: {name}" for name, yes in scenario.answers.items() if not yes]
    if scenario.mind_change:
        change = scenario.mind_change
        lines.append(f"changes mind when asked to confirm {change.at}: {_json(change.changes)}")
    lines += [f"tool fault: {f.tool} {f.kind} {_json(f.where)}" for f in scenario.faults]
    if scenario.injection:
        lines.append(f"injected ({scenario.injection.where}): {scenario.injection.text}")
    return "\n".join(lines)


def _dialogue(turns: Sequence[GoldTurn]) -> Iterator[str]:
    for number, turn in enumerate(turns):
        if turn.role == "user":
            yield f"[{number}] USER   {turn.text or '…'}"
            if turn.user and not turn.text:
                yield f"      gives: {turn.user.model_dump_json(exclude_defaults=True)}"
            continue
        for call in turn.calls:
            yield from _call(call)
        yield f"[{number}] AGENT  {turn.text or '…'}"
        if not turn.text:
            yield from (f"      does: {_act(act)}" for act in turn.acts)


def _call(call: GoldCall) -> Iterator[str]:
    yield f"      → {call.tool} {_json(call.arguments)}"
    if call.error:
        yield f"      ✗ {call.error.code}: {call.error.message}"
    else:
        yield f"      ← {_json(call.result)}"


def _act(act: Act) -> str:
    facts = {f.name: f.value if not f.forms else list(f.forms) for f in act.facts}
    parts = [f"{act.kind} {act.act}"]
    if act.slots:
        parts.append(f"slots {', '.join(act.slots)}")
    if facts:
        parts.append(f"facts {_json(facts)}")
    if act.claims:
        parts.append("claims a done call")
    return "; ".join(parts)


def _checks(case: Case) -> str:
    checks = case.checks
    accepted = " or ".join(str(one) for one in (checks.outcome, *checks.also_accept))
    lines = [f"ends as: {accepted}"]
    lines += [f"invokes: {tool}" for tool in checks.required_tools]
    lines += [f"gets done: {tool}" for tool in checks.succeeding_tools]
    lines += [
        f"before a hand-over: {tool} called at least {n} times"
        for tool, n in checks.before_transfer.items()
    ]
    lines += [f"tells: {_told(fact)}" for fact in checks.must_say]
    lines += [
        f"changes: {c.collection} {c.key}: {_changed(c.before, c.after)}" for c in checks.target
    ]
    if not checks.target:
        lines.append("changes: nothing")
    lines += [f"free text: {_json(c.model_dump(mode='json'))}" for c in checks.text_checks]
    lines += [f"kept until verified: {f.name} = {_json(f.value)}" for f in checks.protected]
    rules = checks.rules.model_dump(mode="json", exclude_defaults=True)
    lines += [f"{name}: {_json(value)}" for name, value in rules.items()]
    lines += [f"criterion: {text}" for text in case.scenario.success_criteria]
    return "\n".join(lines)


def _changed(before: object, after: object) -> str:
    if isinstance(before, dict) and isinstance(after, dict):
        names = sorted(n for n in before | after if before.get(n) != after.get(n))
        return "; ".join(f"{n}: {_json(before.get(n))} → {_json(after.get(n))}" for n in names)
    return f"made {_json(after)}" if before is None else "removed"


def _told(fact: MustSay) -> str:
    when = f", after {' or '.join(fact.after)}" if fact.after else ""
    return f"{fact.name} = {_wording(fact)}{when}"


def _wording(fact: Fact) -> str:
    """Return what is heard as the fact: any of its forms, else its value in any notation."""
    return " or ".join(_json(form) for form in fact.forms) if fact.forms else _json(fact.value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
