"""Layer 3 of the static validation: names, scopes and what cannot be reached.

Source: docs/workflow-language.md, sections 2 and 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from skillbench_tasks.tools.workflow.language import (
    RESERVED_NAMES,
    AskNode,
    Block,
    CallNode,
    DeclineNode,
    ForEachNode,
    HandOverNode,
    IfNode,
    Node,
    Program,
    ReturnNode,
    SayNode,
    SetNode,
    TryNode,
)
from skillbench_tasks.tools.workflow.messages import allowed_names, listing
from skillbench_tasks.tools.workflow.operators import LAMBDAS
from skillbench_tasks.tools.workflow.paths import Path, parse_path, parse_template
from skillbench_tasks.tools.workflow.signatures import (
    ToolSignature,
    subschema,
    unlisted_segment,
)
from skillbench_tasks.tools.workflow.syntax import RULE_KEY, Fault, operation

__all__ = ["reference_faults"]

_BUILT_IN = frozenset({"inputs", "context"})
_TAKEN_MAX = 40


def reference_faults(program: Program, tools: Mapping[str, ToolSignature]) -> Iterator[Fault]:
    """Yield every fault of the layer ``references`` in program order."""
    yield from _Checker(program, tools).block(program.steps, "steps", {})


class _Binding(NamedTuple):
    """How and by which node a visible name was made, and what is known of its value."""

    maker: str
    place: str
    schema: JsonValue = None

    def __str__(self) -> str:
        return f"made by the {self.maker} at {self.place}"


_Scope = dict[str, _Binding]


class _Use(NamedTuple):
    """A reference: where it stands and which names of rules it sees besides the scope."""

    place: str
    path: Path
    local: frozenset[str]


class _Checker:
    """Walks a program in its order.

    `_closed` holds names whose scope has ended with the node that bound them, `_binders` all names
    with the nodes that bind them.
    """

    def __init__(self, program: Program, tools: Mapping[str, ToolSignature]) -> None:
        self._inputs, self._tools = program.inputs, tools
        self._closed: dict[str, str] = {}
        self._binders: dict[str, list[str]] = {}
        for name, place in _binders(program.steps, "steps"):
            self._binders.setdefault(name, []).append(place)

    def block(self, block: Block, path: str, outer: _Scope) -> Iterator[Fault]:
        """Check a block in a scope of its own; `outer` stays as it is."""
        scope = dict(outer)
        ended = False
        for index, node in enumerate(block):
            here = f"{path}[{index}]"
            if ended:
                message = f"{path}[{index - 1}] ends the program, so nothing behind it in its "
                message += "block is reached: move it to the end of the block, or remove one"
                yield Fault(here, "unreachable", message)
                break
            yield from self._node(node, here, scope)
            ended = isinstance(node, (ReturnNode, HandOverNode, DeclineNode))
        self._close(scope, outer)

    def _close(self, inner: _Scope, outer: _Scope) -> None:
        for name, binding in inner.items():
            if name not in outer:
                self._closed[name] = binding.place

    def _node(self, node: Node, path: str, scope: _Scope) -> Iterator[Fault]:
        for use in _uses(node, path):
            yield from self._use(use, scope)
        match node:
            case CallNode(id=str() as name):
                signature = self._tools.get(node.tool)
                schema = signature.output_schema if signature else None
                yield from self._bind(name, f"{path}.id", scope, _Binding("call", path, schema))
            case AskNode(id=str() as name):
                yield from self._bind(name, f"{path}.id", scope, _Binding("ask", path))
            case SetNode():
                yield from self._assign(node.name, path, scope)
            case SayNode():
                yield from self._claims(node, path)
            case IfNode():
                yield from self.block(node.then, f"{path}.then", scope)
                yield from self.block(node.otherwise, f"{path}.else", scope)
            case ForEachNode():
                element = _Binding("for_each", path, self._element_schema(node.items, scope))
                yield from self._opened(node.do, f"{path}.do", scope, node.bind, path, element)
            case TryNode():
                yield from self.block(node.do, f"{path}.do", scope)
                error = _Binding("try", path)
                yield from self._opened(node.catch, f"{path}.catch", scope, node.bind, path, error)
        if isinstance(node, (SayNode, HandOverNode, DeclineNode)):
            yield from _must_faults(node, path)

    def _opened(
        self, block: Block, path: str, scope: _Scope, name: str | None, node: str, made: _Binding
    ) -> Iterator[Fault]:
        """Check a block that binds a name as it opens."""
        inner = dict(scope)
        if name is not None:
            yield from self._bind(name, f"{node}.as", inner, made)
        yield from self.block(block, path, inner)
        self._close(inner, scope)

    def _bind(self, name: str, place: str, scope: _Scope, made: _Binding) -> Iterator[Fault]:
        if name in RESERVED_NAMES:
            message = f"`{name}` is reserved, like {listing(sorted(RESERVED_NAMES - {name}))}; "
            yield Fault(place, "reserved_name", f"{message}choose another name")
        elif name in scope:
            message = f"`{name}` is visible already ({scope[name]}); choose a name other than "
            yield Fault(place, "name_taken", f"{message}{_taken(scope)}")
        else:
            scope[name] = made

    def _assign(self, name: str, node: str, scope: _Scope) -> Iterator[Fault]:
        place = f"{node}.name"
        if name in scope and scope[name].maker != "set":
            message = f"`{name}` cannot be assigned ({scope[name]}); choose a name other than "
            yield Fault(place, "set_on_bound", f"{message}{_taken(scope)}")
        elif name not in scope:
            yield from self._bind(name, place, scope, _Binding("set", node))

    def _claims(self, node: SayNode, path: str) -> Iterator[Fault]:
        for index, name in enumerate(node.claims):
            if name not in self._tools:
                message = f"`{name}` is no tool that is offered; {allowed_names(name, self._tools)}"
                yield Fault(f"{path}.claims[{index}]", "unknown_claim", message)

    def _use(self, use: _Use, scope: _Scope) -> Iterator[Fault]:
        name, segments = use.path.name, [key for key, _ in use.path.segments]
        if name in use.local:
            return
        if name == "inputs" and segments and segments[0] not in self._inputs:
            declared = allowed_names(segments[0], self._inputs, "declared")
            message = f"the input `{segments[0]}` is not declared; {declared}"
            yield Fault(use.place, "undeclared_input", message)
        elif name in scope:
            unlisted = unlisted_segment(scope[name].schema, segments)
            if unlisted is not None:
                missing, keys = unlisted
                message = f"`{use.path}`: the tool's output has no key `{missing}` there; "
                yield Fault(use.place, "unknown_segment", message + allowed_names(missing, keys))
        elif name not in _BUILT_IN:
            yield self._invisible(use, scope)

    def _invisible(self, use: _Use, scope: _Scope) -> Fault:
        name = use.path.name
        if name in self._closed:
            message = (
                f"`{name}` is bound by {self._closed[name]}, in a block that ends before this "
                "point; `set` a variable before that block, and assign it inside"
            )
            return Fault(use.place, "out_of_scope", message)
        if name in self._binders:
            return Fault(use.place, "used_before_bound", self._bound_later(use))
        visible = allowed_names(name, (*scope, *sorted(_BUILT_IN | use.local)), "visible")
        return Fault(use.place, "unknown_name", f"nothing binds `{name}`; {visible}")

    def _bound_later(self, use: _Use) -> str:
        """Say which node to move, or that there is none to be moved."""
        name, here = use.path.name, use.place
        places = [one for one in self._binders[name] if not here.startswith((f"{one}.", f"{one}["))]
        if not places:
            message = f"`{name}` is bound only by {self._binders[name][0]}, in which this stands"
            return f"{message}; `set` it to a first value before"
        visible = [one for one in places if here.startswith(f"{one.rpartition('[')[0]}[")]
        nodes = f"{(visible or places)[0]}; move that node before this one"
        return f"`{name}` is bound only later, by {nodes}"

    def _element_schema(self, items: JsonValue, scope: _Scope) -> JsonValue:
        parts = parse_template(items) if isinstance(items, str) else None
        if parts is None or len(parts) != 1 or not isinstance(parts[0], Path):
            return None
        binding = scope.get(parts[0].name)
        schema = binding.schema if binding else None
        for key, _ in parts[0].segments:
            schema = subschema(schema, key)
        return subschema(schema, None)


def _taken(scope: _Scope) -> str:
    return listing([*scope, *sorted(_BUILT_IN)][-_TAKEN_MAX:])


def _must_faults(node: SayNode | HandOverNode | DeclineNode, path: str) -> Iterator[Fault]:
    for index, fact in enumerate(node.must):
        if fact not in node.facts:
            message = f"`{fact}` is not among the facts; {allowed_names(fact, node.facts)}"
            yield Fault(f"{path}.must[{index}]", "unknown_must", message)


def _binders(block: Block, path: str) -> Iterator[tuple[str, str]]:
    """Yield every name that some node binds, with the node's path."""
    for index, node in enumerate(block):
        here = f"{path}[{index}]"
        match node:
            case CallNode(id=str() as name) | AskNode(id=str() as name) | SetNode(name=name):
                yield name, here
            case IfNode():
                yield from _binders(node.then, f"{here}.then")
                yield from _binders(node.otherwise, f"{here}.else")
            case ForEachNode():
                yield from ((node.bind, here), *_binders(node.do, f"{here}.do"))
            case TryNode():
                yield from () if node.bind is None else ((node.bind, here),)
                yield from _binders(node.do, f"{here}.do")
                yield from _binders(node.catch, f"{here}.catch")


def _uses(node: Node, path: str) -> Iterator[_Use]:
    """Yield the references of the node itself, not of its blocks."""
    match node:
        case CallNode():
            yield from _expression_uses(node.arguments, f"{path}.arguments")
        case IfNode():
            yield from _rule_uses(node.condition, f"{path}.condition", frozenset())
        case ForEachNode():
            yield from _one_expression_uses(node.items, f"{path}.items")
        case SetNode() | ReturnNode():
            yield from _one_expression_uses(node.value, f"{path}.value")
        case SayNode() | AskNode() | HandOverNode() | DeclineNode():
            yield from _expression_uses(node.facts, f"{path}.facts")


def _expression_uses(expressions: dict[str, JsonValue], place: str) -> Iterator[_Use]:
    for key, expression in expressions.items():
        yield from _one_expression_uses(expression, f"{place}.{key}")


def _one_expression_uses(expression: JsonValue, place: str) -> Iterator[_Use]:
    if isinstance(expression, str):
        for piece in parse_template(expression) or ():
            if isinstance(piece, Path):
                yield _Use(place, piece, frozenset())
    elif isinstance(expression, list):
        for index, part in enumerate(expression):
            yield from _one_expression_uses(part, f"{place}[{index}]")
    elif isinstance(expression, dict):
        if RULE_KEY in expression:
            yield from _rule_uses(expression[RULE_KEY], f"{place}.{RULE_KEY}", frozenset())
        else:
            yield from _expression_uses(expression, place)


def _rule_uses(rule: JsonValue, place: str, local: frozenset[str]) -> Iterator[_Use]:
    if isinstance(rule, list):
        for index, part in enumerate(rule):
            yield from _rule_uses(part, f"{place}[{index}]", local)
    elif isinstance(rule, dict):
        operator, operands = operation(rule)
        place = f"{place}.{operator}"
        path = operands[0] if operator in ("var", "exists") else None
        parsed = parse_path(path) if isinstance(path, str) else None
        if parsed is not None:
            yield _Use(place, parsed, local)
        for index, operand in enumerate(operands):
            inner = local | set(LAMBDAS.get(operator, ())) if index == 1 else local
            suffix = f"[{index}]" if isinstance(rule[operator], list) else ""
            yield from _rule_uses(operand, f"{place}{suffix}", inner)
