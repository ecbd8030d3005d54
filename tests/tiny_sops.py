"""Three tiny SOPs over five tools of three made-up servers, and ways to run something on them.

- `RETRY`: opens a ticket, tries again when the first try fails, tells the channel.
- `DUNNING`: goes over a customer's invoices: a ticket for large ones, a message for the others.
- `GATE`: a blocked customer gets a message and nothing else; any other a ticket with a comment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import CallError, CollectionSpec, Fault, Record, ToolSpec
from skillbench_tasks.models.sop import Executed, ExecutedCall, Variant
from skillbench_tasks.scorers.trace import ScoringContext
from skillbench_tasks.tools.toolbox import Tool, Toolbox
from skillbench_tasks.tools.workflow import Program, parse_program, run_workflow
from skillbench_tasks.tools.world import World

__all__ = [
    "COMMENT",
    "CONTEXT",
    "CUSTOMER",
    "DUNNING",
    "GATE",
    "INVOICES",
    "NOW",
    "OPEN",
    "POST",
    "RETRY",
    "TOOLS",
    "TinySop",
    "call",
    "parsed",
    "run",
    "stepped",
]

NOW = "2026-03-12T09:30:00"

CUSTOMER = "mcp.crm:get_customer"
INVOICES = "mcp.crm:list_invoices"
POST = "mcp.chat:post_message"
OPEN = "mcp.tracker:open_ticket"
COMMENT = "mcp.tracker:add_comment"

SPECS = {
    "customers": CollectionSpec(key="customer_id", prefix="CUS"),
    "invoices": CollectionSpec(key="invoice_id", prefix="INV"),
    "messages": CollectionSpec(key="message_id", prefix="MSG"),
    "tickets": CollectionSpec(key="ticket_id", prefix="TCK"),
}


def _tool(
    name: str,
    access: str,
    behaviour: list[dict[str, Any]],
    returns: str,
    *required: str,
    **optional: Any,
) -> Tool:
    server, _, short = name.removeprefix("mcp.").partition(":")
    properties = {field: {"type": "string"} for field in required}
    schema = {
        "type": "object",
        "properties": {**properties, **optional},
        "required": list(required),
        "additionalProperties": False,
    }
    return Tool.of(
        ToolSpec.model_validate(
            {
                "server": server,
                "name": short,
                "title": short,
                "description": short,
                "access": access,
                "input_schema": schema,
                "behaviour": behaviour,
                "returns": returns,
            }
        )
    )


TOOLS = [
    _tool(
        CUSTOMER,
        "read",
        [
            {"op": "get", "collection": "customers", "key": "${args.customer_id}", "as": "it"},
            {
                "op": "require",
                "rule": {"or": [{"var": "args.closed"}, {"!": {"var": "it.closed"}}]},
                "code": "closed",
                "message": "The account is closed.",
            },
        ],
        "${it}",
        "customer_id",
        closed={"type": "boolean", "default": False},
    ),
    _tool(
        INVOICES,
        "read",
        [
            {
                "op": "find",
                "collection": "invoices",
                "where": {"customer_id": "${args.customer_id}"},
                "as": "found",
            }
        ],
        "${found}",
        "customer_id",
        limit={"type": "integer", "default": 50},
    ),
    _tool(
        POST,
        "write",
        [
            {
                "op": "send",
                "collection": "messages",
                "record": {
                    "channel": "${args.channel}",
                    "text": "${args.text}",
                    "thread": "${args.thread}",
                },
                "as": "sent",
            }
        ],
        "${sent}",
        "channel",
        "text",
        thread={"type": "string"},
    ),
    _tool(
        OPEN,
        "write",
        [
            {
                "op": "create",
                "collection": "tickets",
                "record": {
                    "title": "${args.title}",
                    "customer_id": "${args.customer_id}",
                    "priority": "${args.priority}",
                    "comments": [],
                },
                "as": "made",
            }
        ],
        "${made}",
        "title",
        "customer_id",
        priority={"type": "string", "enum": ["normal", "high"], "default": "normal"},
    ),
    _tool(
        COMMENT,
        "write",
        [
            {
                "op": "append",
                "collection": "tickets",
                "key": "${args.ticket_id}",
                "field": "comments",
                "item": "${args.text}",
                "as": "made",
            }
        ],
        "${made}",
        "ticket_id",
        "text",
    ),
]

CONTEXT = ScoringContext(
    {tool.spec.full_name: tool.spec.input_schema for tool in TOOLS}, SPECS, NOW
)

_CUSTOMERS: list[Record] = [
    {"customer_id": "CUS-1", "name": "Ada", "state": "good", "closed": False},
    {"customer_id": "CUS-2", "name": "Bo", "state": "blocked", "closed": False},
]
_INVOICES: list[Record] = [
    {"invoice_id": "INV-1", "customer_id": "CUS-1", "amount": 50},
    {"invoice_id": "INV-2", "customer_id": "CUS-1", "amount": 1500},
    {"invoice_id": "INV-3", "customer_id": "CUS-1", "amount": 80.0},
    {"invoice_id": "INV-4", "customer_id": "CUS-3", "amount": 20},
]


def world(records: Mapping[str, Sequence[Record]]) -> World:
    """Return the base world with a variant's records."""
    keyed: dict[str, dict[str, Record]] = {
        "customers": {str(one["customer_id"]): one for one in _CUSTOMERS},
        "invoices": {str(one["invoice_id"]): one for one in _INVOICES},
    }
    for name, more in records.items():
        for record in more:
            keyed.setdefault(name, {})[str(record[SPECS[name].key])] = record
    return World(SPECS, keyed, NOW)


def parsed(*steps: dict[str, Any], output: dict[str, Any] | None = None) -> Program:
    """Return a program of these steps; its input is `customer_id`."""
    data: dict[str, Any] = {
        "version": 1,
        "inputs": {"customer_id": {"type": "string"}},
        "steps": list(steps),
    }
    program = parse_program(data | ({"output": output} if output else {}))
    assert isinstance(program, Program), program
    return program


def call(tool: str, id: str | None = None, **arguments: Any) -> dict[str, Any]:
    """Return a call node."""
    node: dict[str, Any] = {"kind": "call", "tool": tool, "arguments": arguments}
    return node | ({"id": id} if id else {})


@dataclass(frozen=True)
class TinySop:
    """A reference workflow and its variants by name."""

    program: Program
    variants: Mapping[str, Variant]

    def reference(self, variant: str) -> Executed:
        """Return the reference run of a variant."""
        return run(self.program, self.variants[variant])

    def run(self, variant: str, *steps: dict[str, Any]) -> Executed:
        """Return the run of a program of these steps on a variant."""
        return run(parsed(*steps), self.variants[variant])

    def stepped(self, variant: str, *calls: dict[str, Any], **end: Any) -> Executed:
        """Return a step-by-step run on a variant, as `stepped` does."""
        return stepped(self.variants[variant], *calls, **end)


def run(program: Program, variant: Variant) -> Executed:
    """Run a program on a variant."""
    toolbox = Toolbox(TOOLS, world(variant.records), variant.faults)
    execution = run_workflow(program, variant.inputs, now=NOW, backend=toolbox.call)
    events = execution.trace
    return Executed.model_validate(
        {
            "status": execution.status,
            "value": execution.value,
            "calls": tuple(_executed(event) for event in events if event["event"] == "call"),
            "control": tuple(event for event in events if event["event"] != "call"),
            "changes": toolbox.world.changes_since(toolbox.start),
        }
    )


def stepped(
    variant: Variant, *calls: dict[str, Any], status: str = "returned", value: JsonValue = None
) -> Executed:
    """Carry out calls one by one, errors or not, as a step-by-step run does.

    Args:
        variant: The variant.
        *calls: Call nodes; the texts in their arguments are sent as they are.
        status: How the run ends.
        value: Its terminal output.
    """
    toolbox = Toolbox(TOOLS, world(variant.records), variant.faults)
    made = []
    for node in calls:
        with suppress(ToolFailure):
            toolbox.call(node["tool"], node["arguments"])
        made.append(ExecutedCall(**dict(toolbox.ledger[-1])))
    return Executed.model_validate(
        {
            "status": status,
            "value": value,
            "calls": tuple(made),
            "changes": toolbox.world.changes_since(toolbox.start),
        }
    )


def _executed(event: Mapping[str, Any]) -> ExecutedCall:
    error = event.get("error")
    given = {key: error[key] for key in CallError.model_fields} if error else None
    kept = {key: event[key] for key in ("tool", "arguments", "result", "path") if key in event}
    return ExecutedCall.model_validate(kept | {"error": given})


def _variant(name: str, customer: str, *faults: Fault) -> tuple[str, Variant]:
    return name, Variant(id=name, inputs={"customer_id": customer}, faults=faults)


_DOWN = Fault.model_validate({"tool": OPEN, "kind": "transient", "occurrences": (1,)})

RETRY = TinySop(
    parsed(
        {"kind": "set", "name": "ticket", "value": ""},
        {
            "kind": "try",
            "do": [
                call(OPEN, "t", title="Call back", customer_id="${inputs.customer_id}"),
                {"kind": "set", "name": "ticket", "value": "${t.ticket_id}"},
            ],
            "catch": [
                call(OPEN, "t", title="Call back", customer_id="${inputs.customer_id}"),
                {"kind": "set", "name": "ticket", "value": "${t.ticket_id}"},
            ],
        },
        call(POST, channel="#desk", text="Opened ${ticket}."),
        {"kind": "return", "value": {"ticket": "${ticket}"}},
    ),
    dict([_variant("fine", "CUS-1"), _variant("down", "CUS-1", _DOWN)]),
)

DUNNING = TinySop(
    parsed(
        call(INVOICES, "invoices", customer_id="${inputs.customer_id}"),
        {
            "kind": "for_each",
            "items": "${invoices}",
            "as": "invoice",
            "do": [
                {
                    "kind": "if",
                    "condition": {">": [{"var": "invoice.amount"}, 1000]},
                    "then": [
                        call(
                            OPEN,
                            title="Chase ${invoice.invoice_id}",
                            customer_id="${inputs.customer_id}",
                        )
                    ],
                    "else": [
                        call(POST, channel="#dunning", text="Remind of ${invoice.invoice_id}.")
                    ],
                }
            ],
        },
        {"kind": "return", "value": {"seen": {"$": {"length": {"var": "invoices"}}}}},
    ),
    dict([_variant("many", "CUS-1"), _variant("none", "CUS-2"), _variant("one", "CUS-3")]),
)

GATE = TinySop(
    parsed(
        call(CUSTOMER, "customer", customer_id="${inputs.customer_id}"),
        {
            "kind": "if",
            "condition": {"==": [{"var": "customer.state"}, "blocked"]},
            "then": [
                call(POST, channel="#risk", text="${customer.name} is blocked."),
                {"kind": "return"},
            ],
        },
        call(OPEN, "ticket", title="Welcome ${customer.name}", customer_id="${inputs.customer_id}"),
        call(COMMENT, ticket_id="${ticket.ticket_id}", text="First contact."),
    ),
    dict([_variant("good", "CUS-1"), _variant("blocked", "CUS-2")]),
)
