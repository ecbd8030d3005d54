"""Runs a workflow: nodes are compiled to closures once and run over a backend.

Source: docs/workflow-language.md, sections 2, 5 and 6.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import NamedTuple, assert_never

from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure, WorkflowError
from skillbench_tasks.tools.workflow.bounds import (
    CALL_WORK,
    BudgetExhausted,
    EvaluationError,
    Limits,
    charging,
    size_of,
)
from skillbench_tasks.tools.workflow.dialogue import compile_ask, compile_ending, compile_say
from skillbench_tasks.tools.workflow.execution import (
    Backend,
    Ended,
    Event,
    Execution,
    Respondent,
    Run,
    Status,
    Step,
    compile_object,
)
from skillbench_tasks.tools.workflow.expressions import compile_expression
from skillbench_tasks.tools.workflow.language import (
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
from skillbench_tasks.tools.workflow.operators import boolean, listed
from skillbench_tasks.tools.workflow.rules import compile_rule
from skillbench_tasks.tools.workflow.schemas import check
from skillbench_tasks.tools.workflow.values import copy_value

__all__ = ["DEFAULT_LIMITS", "run_workflow"]

DEFAULT_LIMITS = Limits()


def run_workflow(
    program: Program,
    inputs: Mapping[str, JsonValue],
    *,
    now: str,
    backend: Backend,
    respondent: Respondent | None = None,
    limits: Limits = DEFAULT_LIMITS,
    keep_values: bool = True,
) -> Execution:
    """Run a program to its end; it always ends.

    Args:
        program: The program. Faults that `validate` reports end the run as ``invalid``.
        inputs: Input name → value; an input left out takes the ``default`` of its schema.
        now: The frozen clock, an ISO 8601 date-time.
        backend: Runs tool calls. It gets its own copy of the arguments; its result is copied.
        respondent: The user's side, for programs with dialogue nodes.
        limits: Bounds of the run.
        keep_values: Whether the trace holds what `set` assigned: a plan from outside can make that
            much, though each value is bounded.

    Raises:
        WorkflowError: An input is missing, or dialogue nodes have no respondent.
    """
    plan = _plan(program)
    if plan.dialogue and respondent is None:
        raise WorkflowError("a program with dialogue nodes needs a respondent")
    names: dict[str, JsonValue] = {"inputs": _given(program, inputs), "context": {"now": now}}
    run = Run(names, backend, respondent, limits, keep_values)
    status, value = _end(plan.run, run)
    if status == "returned" and program.output is not None:
        problem = check(program.output, value)
        if problem is not None:
            run.trace.append({"event": "invalid", "message": f"the output does not fit: {problem}"})
            status = "invalid"
    return Execution(status, copy_value(value), run.trace, run.budget.nodes)


def _given(program: Program, inputs: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    given = {name: copy_value(value) for name, value in inputs.items()}
    for name, schema in program.inputs.items():
        if name not in given:
            if not isinstance(schema, dict) or "default" not in schema:
                raise WorkflowError(f"the input `{name}` is missing")
            given[name] = copy_value(schema["default"])
    return given


def _end(step: Step, run: Run) -> tuple[Status, JsonValue]:
    """Run the steps and say how they ended."""
    try:
        step(run)
    except Ended as ended:
        return ended.status, ended.value
    except ToolFailure as failure:
        run.trace.append({"event": "uncaught", "error": {**failure.as_data()}})
        return "failed", None
    except BudgetExhausted:
        run.trace.append({"event": "exhausted"})
        return "exhausted", None
    except EvaluationError as error:
        run.trace.append({"event": "invalid", "message": str(error)})
        return "invalid", None
    return "completed", None


class _Plan(NamedTuple):
    run: Step
    dialogue: bool


_PLANS: dict[int, _Plan] = {}


def _plan(program: Program) -> _Plan:
    """Return the compiled program; it is kept as long as the program lives."""
    plan = _PLANS.get(id(program))
    if plan is None:
        plan = _Plan(_steps(program.steps, "steps"), _has_dialogue(program.steps))
        _PLANS[id(program)] = plan
        weakref.finalize(program, _PLANS.pop, id(program), None)
    return plan


def _has_dialogue(block: Block) -> bool:
    return any(
        isinstance(node, (SayNode, AskNode, HandOverNode, DeclineNode))
        or any(_has_dialogue(inner) for inner in _inner_blocks(node))
        for node in block
    )


def _inner_blocks(node: Node) -> tuple[Block, ...]:
    if isinstance(node, IfNode):
        return (node.then, node.otherwise)
    if isinstance(node, ForEachNode):
        return (node.do,)
    return (node.do, node.catch) if isinstance(node, TryNode) else ()


def _steps(block: Block, path: str) -> Step:
    scope = _scope(block, path)
    return lambda run: scope(run, None, None)


_Scope = Callable[[Run, str | None, JsonValue], None]


def _scope(block: Block, path: str) -> _Scope:
    """Compile a block that may bind one name as it opens."""
    steps = [_step(node, f"{path}[{index}]") for index, node in enumerate(block)]

    def scope(run: Run, name: str | None, value: JsonValue) -> None:
        mark = run.open_scope()
        try:
            if name is not None:
                run.bind(name, value)
            for step in steps:
                run.budget.start_node()
                step(run)
        finally:
            run.close_scope(mark)

    return scope


def _step(node: Node, path: str) -> Step:
    match node:
        case CallNode():
            return _call(node, path)
        case IfNode():
            return _if(node, path)
        case ForEachNode():
            return _for_each(node, path)
        case TryNode():
            return _try(node, path)
        case SetNode():
            return _set(node, path)
        case ReturnNode():
            return _return(node, path)
        case SayNode():
            return compile_say(node, path)
        case AskNode():
            return compile_ask(node, path)
        case HandOverNode() | DeclineNode():
            return compile_ending(node, path)
        case _:
            assert_never(node)


def _call(node: CallNode, path: str) -> Step:
    evaluate, tool, name = compile_object(node.arguments), node.tool, node.id

    def step(run: Run) -> None:
        arguments = evaluate(run)
        run.budget.do(CALL_WORK)
        own = {key: copy_value(value) for key, value in arguments.items()}
        event: dict[str, JsonValue] = {
            "event": "call",
            "path": path,
            "tool": tool,
            "arguments": arguments,
        }
        try:
            with charging(run.budget):
                result = copy_value(run.backend(tool, own))
        except ToolFailure as failure:
            event["error"] = {**failure.as_data()}
            run.trace.append(event)
            run.budget.do(0)  # what the tool did before it failed
            raise
        event["result"] = result
        run.trace.append(event)
        run.budget.do(size_of(result))
        if name is not None:
            run.bind(name, result)

    return step


def _if(node: IfNode, path: str) -> Step:
    condition = compile_rule(node.condition)
    then, otherwise = _steps(node.then, f"{path}.then"), _steps(node.otherwise, f"{path}.else")

    def step(run: Run) -> None:
        holds = boolean(condition(run.names, run.budget))
        run.trace.append({"event": "branch", "path": path, "taken": "then" if holds else "else"})
        (then if holds else otherwise)(run)

    return step


def _for_each(node: ForEachNode, path: str) -> Step:
    evaluate, do, name = compile_expression(node.items), _scope(node.do, f"{path}.do"), node.bind

    def step(run: Run) -> None:
        items = listed(evaluate(run.names, run.budget))
        run.trace.append({"event": "loop", "path": path, "count": len(items)})
        for index, item in enumerate(items):
            run.budget.start_node()
            run.trace.append({"event": "iteration", "path": path, "index": index})
            do(run, name, item)

    return step


def _try(node: TryNode, path: str) -> Step:
    do, catch, name = _steps(node.do, f"{path}.do"), _scope(node.catch, f"{path}.catch"), node.bind

    def step(run: Run) -> None:
        try:
            do(run)
        except ToolFailure as failure:
            error: dict[str, JsonValue] = {**failure.as_data()}
        else:
            return
        run.trace.append({"event": "caught", "path": path, "error": error})
        catch(run, name, error)

    return step


def _set(node: SetNode, path: str) -> Step:
    evaluate, name = compile_expression(node.value), node.name

    def step(run: Run) -> None:
        value = evaluate(run.names, run.budget)
        run.assign(name, value)
        event: Event = {"event": "set", "path": path, "name": name}
        run.trace.append({**event, "value": value} if run.keeps_values else event)

    return step


def _return(node: ReturnNode, path: str) -> Step:
    evaluate = compile_expression(node.value)

    def step(run: Run) -> None:
        value = evaluate(run.names, run.budget)
        run.trace.append({"event": "return", "path": path, "value": value})
        raise Ended("returned", value)

    return step
