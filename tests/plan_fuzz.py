"""Plans and answers by chance: random JSON, and reference plans with parts changed at random."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Sequence
from typing import Any

from inspect_ai.model import ChatMessageAssistant, ModelOutput

from skillbench_tasks.tools.workflow.operators import OPERANDS
from tests.plan_mutants import MUTATORS, blocks_of

__all__ = ["Generator"]

_KEYS = (
    *("kind", "tool", "arguments", "id", "condition", "then", "else", "items", "as", "do"),
    *("catch", "name", "value", "version", "inputs", "output", "steps", "$", "note"),
)
_TEXTS = (
    *("", "a", "${", "$${", "${x", "${x}", "${inputs}", "${context.now}", "a ${inputs.a} b"),
    *("call", "if", "for_each", "try", "set", "return", "say", "mcp.chat:post_message", "mcp."),
    *("2026-03-12", "__import__('os')", "{{x}}", "\ud800", "x" * 300, "SELECT 1", "INV-803"),
)
_NUMBERS = (0, 1, -1, 2, 0.5, 1e308, 10**15, 10**400, float("nan"), float("inf"), True, False, None)


class Generator:
    """Makes plans by chance; one seed makes the same plans again.

    Args:
        seed: The seed.
        plans: Reference plans to start from.
    """

    def __init__(self, seed: int | str, plans: Sequence[Any]) -> None:
        self.rng = random.Random(seed)
        self._plans = plans
        self._donors = [part for plan in plans for part in _parts(plan["steps"])]

    def value(self, depth: int = 0) -> Any:
        """Return any JSON value, of the language's words for the most part."""
        rng = self.rng
        match rng.randrange(3 if depth > 4 else 7):
            case 0:
                return rng.choice(_NUMBERS)
            case 1 | 2:
                return rng.choice(_TEXTS)
            case 3:
                return [self.value(depth + 1) for _ in range(rng.randrange(4))]
            case 4:
                return {self.rule_word(): self.value(depth + 1)}
            case _:
                return {rng.choice(_KEYS): self.value(depth + 1) for _ in range(rng.randrange(5))}

    def rule_word(self) -> str:
        return self.rng.choice(("$", *sorted(OPERANDS)))

    def program(self) -> Any:
        """Return something with the outline of a workflow and anything inside."""
        rng = self.rng
        steps = [self.value() for _ in range(rng.randrange(4))]
        return {"version": 1, "inputs": {"a": self.value(3)}, "steps": steps}

    def changed(self, plan: Any) -> Any:
        """Return a plan with one to four parts changed."""
        plan = copy.deepcopy(plan)
        for _ in range(self.rng.choice((1, 1, 1, 2, 2, 4))):
            if self.rng.random() < 0.2:
                try:
                    self.rng.choice(list(MUTATORS.values()))(plan, self.rng)
                except (LookupError, TypeError, AttributeError, ValueError):
                    continue  # it wants an unchanged plan
            else:
                self._edit(plan)
        return plan

    def tweaked(self, plan: Any) -> Any:
        """Return a plan with one to four changes that most often leave it valid."""
        plan = copy.deepcopy(plan)
        for _ in range(self.rng.choice((1, 1, 2, 4))):
            self._tweak(plan)
        return plan

    def _tweak(self, plan: Any) -> None:
        rng = self.rng
        block = rng.choice(list(blocks_of(plan["steps"])))
        at = rng.randrange(len(block) + 1)
        node = block[at] if at < len(block) else None
        match rng.randrange(9):
            case 0 if node is not None:
                block[at] = {"kind": "try", "do": [node], "catch": self._some_block()}
            case 1 if node is not None:
                block[at] = {"kind": "if", "condition": rng.random() < 0.7, "then": [node]}
            case 2 if node is not None:
                items = rng.choice(
                    ([], [1], [1, 2, 3], "${context}", {"$": {"var": "context.now"}})
                )
                block[at] = {"kind": "for_each", "items": items, "as": "odd", "do": [node]}
            case 3 if node is not None and "then" in node:
                node["then"], node["else"] = node.get("else", []), node["then"]
            case 4 if node is not None and node["kind"] != "return":
                block.pop(at)
            case 5:
                block[at:at] = self._some_block()
            case 6 if node is not None:
                block.insert(at, {k: v for k, v in copy.deepcopy(node).items() if k != "id"})
            case _:
                self._tweak_value(plan)

    def _some_block(self) -> list[Any]:
        rng = self.rng
        post = {"channel_id": "CHN-306", "text": rng.choice(("Hello.", "${context.now}"))}
        rule = {
            rng.choice(("+", "cat", "length", "sum", "round", "lower")): [rng.choice(_NUMBERS[:6])]
        }
        return rng.choice(
            (
                [],
                [{"kind": "call", "tool": "mcp.chat:post_message", "arguments": post}],
                [{"kind": "set", "name": "odd_value", "value": {"$": rule}}],
                [{"kind": "set", "name": "odd_value", "value": {"$": {"var": "context.nowhere"}}}],
            )
        )

    def _tweak_value(self, plan: Any) -> None:
        """Change a literal, or the keys behind a name."""
        rng = self.rng
        nodes = [node for block in blocks_of(plan["steps"]) for node in block]
        found = [p for node in nodes for p in _parts({"": node.get("arguments", {})})]
        found += [p for node in nodes for p in _parts({"": node.get("condition", {})})]
        found += [p for node in nodes for p in _parts({"": node.get("value", {})})]
        scalars = [(c, k) for c, k in found if isinstance(c[k], str | int | float)]
        if not scalars:
            return
        container, key = rng.choice(scalars)
        value = container[key]
        if isinstance(value, str) and (value.startswith("${") or key == "var"):
            end = "}" if value.endswith("}") else ""
            container[key] = value.removesuffix("}") + rng.choice((".0", ".id", ".x", "")) + end
        elif isinstance(value, str):
            container[key] = rng.choice(
                (value.upper(), value + " more", "", "INV-803", "2026-03-12")
            )
        else:
            container[key] = rng.choice((0, -1, 2.5, value + 1))

    def _edit(self, plan: Any) -> None:
        rng = self.rng
        steps = plan.get("steps") if isinstance(plan, dict) else None
        places = list(_parts(steps)) if isinstance(steps, list) else []
        if not places:
            return
        container, key = rng.choice(places)
        match rng.randrange(8):
            case 0 if isinstance(container, list):
                del container[key]
            case 1 if isinstance(container, list):
                container.insert(key, copy.deepcopy(container[rng.randrange(len(container))]))
            case 2 if isinstance(container, list):
                rng.shuffle(container)
            case 3:
                container[key] = self.value(3)
            case 4:
                container[key] = {"$": {self.rule_word(): [container[key], self.value(4)]}}
            case 5 if isinstance(container[key], int | float):
                container[key] = container[key] * 1000 + 1
            case _:
                donor, part = rng.choice(self._like(container[key]))
                container[key] = copy.deepcopy(donor[part])

    def _like(self, value: Any) -> list[tuple[Any, Any]]:
        """Return places of the reference plans that hold a value of the same type."""
        drawn = self.rng.sample(self._donors, min(60, len(self._donors)))
        return [d for d in drawn if type(d[0][d[1]]) is type(value)] or drawn

    def answer(self, plan: Any) -> ModelOutput:
        """Return a model's answer that holds a plan, or what might be taken for one."""
        rng = self.rng
        text = json.dumps(plan, indent=rng.choice((None, 1)), ensure_ascii=rng.random() < 0.8)
        match rng.randrange(8):
            case 0:
                text = f"Here it is.\n```json\n{text}\n```\nDone."
            case 1:
                text = text[: rng.randrange(len(text) + 1)]
            case 2:
                text = f"<think>{{{text}</think>{text}"
            case 3:
                at = rng.randrange(len(text) + 1)
                text = text[:at] + rng.choice('{}[]",:\\\x00é') + text[at:]
            case 4:
                text = "[" * rng.choice((1, 2_000)) + text
            case _:
                pass
        reason: Any = rng.choice(("stop", "stop", "stop", "max_tokens", "content_filter"))
        message = ChatMessageAssistant(content=text.encode("utf-8", "replace").decode())
        return ModelOutput.from_message(message, stop_reason=reason)


def _parts(value: Any) -> list[tuple[Any, Any]]:
    """Return container and key of every part of a value."""
    found: list[tuple[Any, Any]] = []
    pending = [value]
    while pending:
        container = pending.pop()
        pairs = container.items() if isinstance(container, dict) else enumerate(container)
        for key, part in pairs:
            found.append((container, key))
            if isinstance(part, dict | list):
                pending.append(part)
    return found
