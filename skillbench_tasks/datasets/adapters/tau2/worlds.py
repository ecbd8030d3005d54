"""The world of a τ² retail folder, and its tools with our behaviours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import Field, JsonValue

from skillbench_tasks.datasets.adapters.tau2.checkout import DOMAIN
from skillbench_tasks.datasets.adapters.tau2.handlers import SERVER, register
from skillbench_tasks.datasets.adapters.tau2.reading import (
    TOOLS_FILE,
    Domain,
    ForeignTool,
    fault_in,
)
from skillbench_tasks.files import model_from, read_yaml
from skillbench_tasks.models import CollectionSpec, Effects, Model, Record, ToolSpec
from skillbench_tasks.tools.catalogue import load_collections
from skillbench_tasks.tools.toolbox import Tool
from skillbench_tasks.tools.world import World

__all__ = ["NOW", "start_world", "tools_of"]

NOW: Final = "2024-06-03T10:00:00"
"""The clock; the retail policy and its tools never look at it."""

_FOLDER: Final = Path(__file__).parent
_BEHAVIOURS: Final = _FOLDER / "tools.yaml"

_UNTIL_LATER: Final = (
    "cancel_reason",
    "exchange_items",
    "exchange_new_items",
    "exchange_payment_method_id",
    "exchange_price_difference",
    "return_items",
    "return_payment_method_id",
)
"""Fields that every order has, null until it is cancelled, exchanged or returned."""


class _Behaviour(Model):
    behaviour: tuple[dict[str, JsonValue], ...]
    returns: JsonValue
    hands_over: bool = False
    effects: Effects | None = None
    normal: dict[str, str] = Field(default_factory=dict)
    """Argument → the notation in which it compares (`x-normal`)."""


def start_world(domain: Domain) -> World:
    """Return the world in which every task starts.

    The variants of all products are a collection of their own beside them, so that an item can be
    looked up by its id.
    """
    empty: Record = dict.fromkeys(_UNTIL_LATER)
    users, orders, products = (domain.database[name] for name in ("users", "orders", "products"))
    collections: dict[str, Mapping[str, Record]] = {
        "users": users,
        "orders": {key: {**order, **_missing(empty, order)} for key, order in orders.items()},
        "products": products,
        "items": {key: item for product in products.values() for key, item in _items(product)},
    }
    specs: dict[str, CollectionSpec] = load_collections(_FOLDER / "collections.yaml")
    return World(specs, collections, NOW).freeze()


def tools_of(domain: Domain) -> list[Tool]:
    """Return the folder's tools with our behaviours, in the file's order.

    Raises:
        DataError: A tool has no behaviour, no access, or a schema that is none.
    """
    register()
    declared = read_yaml(_BEHAVIOURS)["tools"]
    return [
        Tool.of(_spec(domain, index, tool, declared)) for index, tool in enumerate(domain.tools)
    ]


def _missing(fields: Record, record: Record) -> Record:
    return {name: value for name, value in fields.items() if name not in record}


def _items(product: Mapping[str, Any]) -> list[tuple[str, Record]]:
    return [
        (key, {**variant, "product_id": product["product_id"]})
        for key, variant in product["variants"].items()
    ]


def _spec(
    domain: Domain, index: int, tool: ForeignTool, declared: Mapping[str, Mapping[str, Any]]
) -> ToolSpec:
    field = f"agent_tools.{index}.function"
    if tool.name not in declared:
        problem = f"no behaviour is declared for {tool.name}"
        mend = f"give the domain {DOMAIN} as published: no other is played here"
        raise fault_in(domain.folder, TOOLS_FILE, f"{field}.name", problem, mend)
    if tool.name not in domain.mutating:
        problem = "it is not said whether the tool writes"
        raise fault_in(domain.folder, TOOLS_FILE, f"mutating.{tool.name}", problem)
    own = model_from(_Behaviour, declared[tool.name], _BEHAVIOURS, f"tools.{tool.name}")
    schema: dict[str, Any] = {
        **tool.parameters,
        "properties": dict(_declared(tool.parameters, own.normal)),
        "additionalProperties": False,
    }
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        place = f"{field}.parameters"
        raise fault_in(domain.folder, TOOLS_FILE, place, error.message) from error
    return ToolSpec(
        server=SERVER,
        name=tool.name,
        title=tool.name.replace("_", " ").capitalize(),
        description=tool.description,
        access="write" if domain.mutating[tool.name] else "read",
        hands_over=own.hands_over,
        effects=own.effects,
        input_schema=schema,
        behaviour=own.behaviour,
        returns=own.returns,
    )


def _declared(
    parameters: Mapping[str, Any], normal: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the schemas of a tool's arguments with the notations in which they compare."""
    for name, schema in parameters.get("properties", {}).items():
        yield name, {**schema, "x-normal": normal[name]} if name in normal else schema
