"""The walk over the nodes of a valid program (§2, §5, §6, §7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import jsonschema

from skillbench_tasks.errors import ToolFailure, WorkflowError

from .rules import ExhaustedError, RuleWalker
from .values import EvaluationError, copied, expect, size

Node = dict[str, Any]
Backend = Callable[[str, dict[str, Any]], Any]
DIALOGUE = ("say", "ask", "hand_over", "decline")


class Respondent(Protocol):
    """The user of a dialogue."""

    def told(self, slot: str) -> bool:
        """Tell whether the user has told the slot."""

    def told_value(self, slot: str) -> Any:
        """Give the value of a slot that was told."""

    def answer(self, slots: list[str], confirm: str | None, again: bool) -> dict[str, Any]:
        """Answer a question for slots, or for a confirmation."""


@dataclass(frozen=True)
class Result:
    """How a run ended and what happened in it."""

    status: str
    value: Any
    trace: list[dict[str, Any]]


class _Ended(Exception):
    """A node ended the whole program."""

    def __init__(self, status: str, value: Any = None) -> None:
        self.status, self.value = status, value
        super().__init__(status)


class _Run:
    """One run: the scopes, the budgets and the trace."""

    def __init__(
        self,
        scopes: list[dict[str, Any]],
        backend: Backend,
        respondent: Respondent | None,
        max_nodes: int,
        max_operators: int,
        max_work: int,
    ) -> None:
        self.scopes = scopes
        self.rules = RuleWalker(scopes, max_operators, max_work)
        self.backend = backend
        self.respondent = respondent
        self.max_nodes = max_nodes
        self.nodes = 0
        self.trace: list[dict[str, Any]] = []

    def tell(self, event: str, path: str | None = None, **further: Any) -> None:
        """Add an event to the trace."""
        place = {} if path is None else {"path": path}
        self.trace.append({"event": event, **place, **copied(further)})

    def start(self) -> None:
        """Count a node or an iteration, or stop before it."""
        if self.nodes >= self.max_nodes:
            raise ExhaustedError
        self.nodes += 1

    def block(self, nodes: list[Node], path: str, names: dict[str, Any] | None = None) -> None:
        """Run a block in a new scope that already holds the given names."""
        self.scopes.append(dict(names or {}))
        try:
            for index, node in enumerate(nodes):
                self.start()
                getattr(self, f"run_{node['kind']}")(node, f"{path}[{index}]")
        finally:
            self.scopes.pop()

    def run_call(self, node: Node, path: str) -> None:
        """Call a tool and bind its result."""
        tool = node["tool"]
        arguments = self.rules.facts(node.get("arguments", {}))
        self.rules.toil(200)
        try:
            result = copied(self.backend(tool, copied(arguments)))
        except ToolFailure as failure:
            self.tell("call", path, tool=tool, arguments=arguments, error=failure.as_data())
            raise
        self.tell("call", path, tool=tool, arguments=arguments, result=result)
        self.rules.toil(size(result))
        self.bind(node, result)

    def bind(self, node: Node, value: Any) -> None:
        """Bind the value in the present block, where the node wants it."""
        if "id" in node:
            self.scopes[-1][node["id"]] = value

    def run_if(self, node: Node, path: str) -> None:
        """Run one of two branches."""
        taken = "then" if self.rules.boolean(node["condition"]) else "else"
        self.tell("branch", path, taken=taken)
        self.block(node.get(taken, []), f"{path}.{taken}")

    def run_for_each(self, node: Node, path: str) -> None:
        """Run a block once for each element."""
        items = self.rules.expression(node["items"])
        expect(isinstance(items, list), "items must give a list")
        self.tell("loop", path, count=len(items))
        for index, item in enumerate(items):
            self.start()
            self.tell("iteration", path, index=index)
            self.block(node["do"], f"{path}.do", {node["as"]: item})

    def run_try(self, node: Node, path: str) -> None:
        """Run a block; after a tool error in it, run another."""
        try:
            self.block(node["do"], f"{path}.do")
            return
        except ToolFailure as failure:
            error = failure.as_data()
        self.tell("caught", path, error=error)
        names = {node["as"]: error} if "as" in node else {}
        self.block(node["catch"], f"{path}.catch", names)

    def run_set(self, node: Node, path: str) -> None:
        """Assign to the nearest variable of the name, or make it here."""
        name, value = node["name"], self.rules.expression(node["value"])
        known = any(name in scope for scope in self.scopes)
        scope = self.rules.scope_of(name) if known else self.scopes[-1]
        scope[name] = value
        self.tell("set", path, name=name, value=value)

    def run_return(self, node: Node, path: str) -> None:
        """End the program with a value."""
        value = self.rules.expression(node.get("value"))
        self.tell("return", path, value=value)
        raise _Ended("returned", value)

    def run_say(self, node: Node, path: str) -> None:
        """Tell the user something."""
        facts = self.rules.facts(node.get("facts", {}))
        claims, must = node.get("claims", []), node.get("must", [])
        self.tell("say", path, act=node["act"], facts=facts, claims=claims, must=must)

    def run_ask(self, node: Node, path: str) -> None:
        """Ask for what is not told yet, or for a yes."""
        user = self.respondent
        assert user is not None
        slots, confirm, again = node.get("slots", []), node.get("confirm"), node.get("again", False)
        old = {slot: user.told_value(slot) for slot in slots if not again and user.told(slot)}
        asked = [slot for slot in slots if slot not in old]
        facts = self.rules.facts(node.get("facts", {}))
        if confirm is None and not asked:
            self.tell("known", path, slots=slots)
            answer: dict[str, Any] = {}
        else:
            answer = copied(user.answer(list(asked), confirm, again))
            self.tell("ask", path, slots=asked, confirm=confirm, facts=facts, answer=answer)
        if confirm is None:
            answer = {slot: old[slot] if slot in old else answer.get(slot) for slot in slots}
        self.bind(node, answer)

    def run_hand_over(self, node: Node, path: str) -> None:
        """Transfer to a person."""
        self.leave("hand_over", "handed_over", node, path)

    def run_decline(self, node: Node, path: str) -> None:
        """Leave the request undone."""
        self.leave("decline", "declined", node, path)

    def leave(self, event: str, status: str, node: Node, path: str) -> None:
        """End a dialogue without a value."""
        facts = self.rules.facts(node.get("facts", {}))
        self.tell(event, path, reason=node["reason"], facts=facts, must=node.get("must", []))
        raise _Ended(status)


def _has_dialogue(nodes: list[Node]) -> bool:
    inner = [node.get(block, []) for node in nodes for block in ("then", "else", "do", "catch")]
    return any(node["kind"] in DIALOGUE for node in nodes) or any(map(_has_dialogue, inner))


def _fits(value: Any, schema: Any) -> bool:
    kind = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    return bool(kind(schema).is_valid(value))


def _walk(run: _Run, program: dict[str, Any]) -> tuple[str, Any]:
    """Run the program to its end and give the status and the value."""
    try:
        run.block(program["steps"], "steps")
        return "completed", None
    except _Ended as ended:
        returned = ended.status == "returned"
        if returned and "output" in program and not _fits(ended.value, program["output"]):
            run.tell("invalid", message="the returned value does not fit the output schema")
            return "invalid", ended.value
        return ended.status, ended.value
    except ToolFailure as failure:
        run.tell("uncaught", error=failure.as_data())
        return "failed", None
    except EvaluationError as error:
        run.tell("invalid", message=str(error))
        return "invalid", None
    except ExhaustedError:
        run.tell("exhausted")
        return "exhausted", None


def interpret(
    program: dict[str, Any],
    inputs: dict[str, Any],
    now: str,
    backend: Backend,
    respondent: Respondent | None = None,
    max_nodes: int = 10_000,
    max_operators: int = 100_000,
    max_work: int = 50_000,
) -> Result:
    """Run a valid program.

    Args:
        program: The program, known to be valid.
        inputs: A value for every declared input.
        now: The frozen clock, as an ISO 8601 date-time.
        backend: Runs a tool call; raises ``ToolFailure`` for a tool error.
        respondent: The user, needed where the program has dialogue nodes.
        max_nodes: Nodes and iterations that may start.
        max_operators: Operators that may be evaluated.
        max_work: Size of all values that may be given.

    Raises:
        WorkflowError: An input or the respondent is missing.
    """
    missing = [name for name in program.get("inputs", {}) if name not in inputs]
    if missing:
        raise WorkflowError(f"missing inputs: {', '.join(missing)}")
    if respondent is None and _has_dialogue(program["steps"]):
        raise WorkflowError("a program with dialogue nodes needs a respondent")
    ground = {"inputs": copied(inputs), "context": {"now": now}}
    run = _Run([ground], backend, respondent, max_nodes, max_operators, max_work)
    status, value = _walk(run, program)
    return Result(status, copied(value), run.trace)
