"""The files of a τ² domain folder: what is read of them, and how their faults are told.

Keys that nothing here needs are left alone; those that something needs are checked, with their
types, before anything runs.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from skillbench_tasks.datasets.adapters.tau2.checkout import (
    DOMAIN,
    domain_folder,
    source_of_tools,
    tools_in,
)
from skillbench_tasks.errors import DataError
from skillbench_tasks.files import first_fault, read_text, shown
from skillbench_tasks.models import Record

__all__ = [
    "GIFT_CARD",
    "Action",
    "Domain",
    "ForeignTool",
    "Step",
    "Task",
    "fault_in",
    "read_domain",
]

DB_FILE: Final = "db.json"
TASKS_FILE: Final = "tasks.json"
TOOLS_FILE: Final = "tools.json"
POLICY_FILE: Final = "policy.md"
RECORDING_FILE: Final = "gold_replay.jsonl"
FILES: Final = (DB_FILE, TASKS_FILE, POLICY_FILE)
"""Names of the files; each may be gzipped, with `.gz` at the end of its name.

Beside them `tools.json`, or the checkout's own `tools.py`; and `gold_replay.jsonl`, where the calls
of the tasks were recorded in the environment that they were written for.
"""

GIFT_CARD: Final = "gift_card"
"""Source of a payment method that holds a balance."""

_MEND: Final = "see docs/adapters.md"
_T = TypeVar("_T")


class _Foreign(BaseModel):
    """A foreign record: types are taken at their word, further keys are left alone."""

    model_config = ConfigDict(frozen=True, strict=True, allow_inf_nan=False)


class Action(_Foreign):
    """A call that a task's author holds right."""

    name: str
    arguments: dict[str, JsonValue]


class _Instructions(_Foreign):
    reason_for_call: str
    task_instructions: str
    known_info: str | None = None
    unknown_info: str | None = None


class _UserScenario(_Foreign):
    instructions: _Instructions
    persona: str | None = None


class _Criteria(_Foreign):
    actions: list[Action]
    communicate_info: list[Annotated[str, Field(pattern=r"\S")]] | None = None
    nl_assertions: list[str] | None = None
    env_assertions: list[JsonValue] | None = None


class Task(_Foreign):
    """A task: who calls and why, and what its author expects."""

    id: Annotated[str, Field(pattern=r"^[0-9]+$")]
    user_scenario: _UserScenario
    evaluation_criteria: _Criteria
    initial_state: JsonValue = None


class Step(_Foreign):
    """A recorded call: what it gave, as text, and whether that is an error."""

    name: str
    arguments: dict[str, JsonValue]
    result: str
    error: bool = False


class _Recording(_Foreign):
    task_id: str
    steps: list[Step]


class ForeignTool(_Foreign):
    """A tool as models see it."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    description: str
    parameters: dict[str, JsonValue]


class _ToolEntry(_Foreign):
    function: ForeignTool


class _Tools(_Foreign):
    agent_tools: Annotated[list[_ToolEntry], Field(min_length=1)]
    mutating: dict[str, bool]
    user_tools: list[JsonValue] = []


class _Item(_Foreign):
    item_id: str
    product_id: str
    price: float


class _Payment(_Foreign):
    transaction_type: str
    amount: float
    payment_method_id: str


class _Order(_Foreign):
    order_id: str
    user_id: str
    status: str
    items: list[_Item]
    payment_history: Annotated[list[_Payment], Field(min_length=1)]


class _Name(_Foreign):
    first_name: str
    last_name: str


class _Address(_Foreign):
    zip: str


class _Method(_Foreign):
    source: str
    balance: float | None = None

    @model_validator(mode="after")
    def _gift_card_has_a_balance(self) -> Self:
        if self.source == GIFT_CARD and self.balance is None:
            raise ValueError("a gift card needs a balance")
        return self


class _User(_Foreign):
    user_id: str
    name: _Name
    address: _Address
    email: str
    payment_methods: dict[str, _Method]


class _Variant(_Foreign):
    item_id: str
    options: dict[str, str]
    available: bool
    price: float


class _Product(_Foreign):
    product_id: str
    name: str
    variants: dict[str, _Variant]


class _Database(_Foreign):
    users: dict[str, _User]
    orders: dict[str, _Order]
    products: dict[str, _Product]


@dataclass(frozen=True)
class Domain:
    """All that a folder holds.

    Args:
        folder: The folder.
        database: Collection → key → record, as the file has them.
        tasks: The tasks in the file's order.
        recording: Task id → the recorded calls of its actions; `None`: none were recorded.
        tools: The agent's tools.
        mutating: Name of a tool → whether it writes.
        policy: The policy page.
        digest: Digest of all files: tells two versions of the data apart.
    """

    folder: Path
    database: dict[str, dict[str, Record]]
    tasks: tuple[Task, ...]
    recording: dict[str, tuple[Step, ...]] | None
    tools: tuple[ForeignTool, ...]
    mutating: dict[str, bool]
    policy: str
    digest: str


def read_domain(folder: Path) -> Domain:
    """Read a folder.

    Args:
        folder: A checkout of τ²-bench, or a folder that holds `db.json`, `tasks.json`, `policy.md`,
            `tools.json` and, where calls were recorded, `gold_replay.jsonl`.

    Raises:
        DataError: The folder or a file is missing or broken, or a key that is needed is.
    """
    if not folder.is_dir():
        raise DataError(str(folder), "", "no such folder", "give a checkout of tau2-bench")
    folder = domain_folder(folder.resolve())
    texts = {name: _text(folder, name) for name in FILES}
    tools = _tools(folder, texts)
    if _path(folder, RECORDING_FILE).exists():
        texts[RECORDING_FILE] = _text(folder, RECORDING_FILE)
    return Domain(
        folder=folder,
        database=_database(folder, texts),
        tasks=_tasks(folder, texts),
        recording=_recording(folder, texts) if RECORDING_FILE in texts else None,
        tools=tuple(entry.function for entry in tools.agent_tools),
        mutating=tools.mutating,
        policy=texts[POLICY_FILE].strip(),
        digest=hashlib.sha256("\0".join(texts.values()).encode()).hexdigest()[:12],
    )


def _tools(folder: Path, texts: dict[str, str]) -> _Tools:
    """Return the tools by `tools.json`, else by the source of a checkout; add what was read."""
    source = source_of_tools(folder)
    if source is not None and not _path(folder, TOOLS_FILE).exists():
        texts[TOOLS_FILE] = read_text(source)
        return _model(_Tools, tools_in(source), folder, TOOLS_FILE)
    texts[TOOLS_FILE] = _text(folder, TOOLS_FILE)
    tools = _model(_Tools, _json(folder, TOOLS_FILE, texts), folder, TOOLS_FILE)
    if tools.user_tools:
        problem = f"users with tools of their own are not played here: {DOMAIN} is the only domain"
        raise fault_in(folder, TOOLS_FILE, "user_tools", problem, f"give the folder of {DOMAIN}")
    return tools


def fault_in(folder: Path, file: str, field: str, problem: str, mend: str = _MEND) -> DataError:
    """Return the fault of a file, to be raised."""
    return DataError(shown(_path(folder, file)), field, problem, mend)


def _path(folder: Path, name: str) -> Path:
    plain, packed = folder / name, folder / f"{name}.gz"
    return packed if packed.exists() and not plain.exists() else plain


def _text(folder: Path, name: str) -> str:
    path = _path(folder, name)
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except FileNotFoundError:
        raise fault_in(folder, name, "", "the file is missing", "add it") from None
    except (OSError, EOFError, zlib.error) as error:
        problem = f"cannot be read: {error}"
        raise fault_in(folder, name, "", problem, "get the file anew") from error
    except UnicodeDecodeError as error:
        raise fault_in(folder, name, "", f"not UTF-8: {error.reason}", "save as UTF-8") from error


def _json(folder: Path, name: str, texts: dict[str, str]) -> Any:
    return _parsed(texts[name], folder, name)


def _parsed(text: str, folder: Path, name: str, first_line: int = 1) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        file = shown(_path(folder, name))
        raise DataError(file, "", error.msg, "mend the syntax", line) from error


def _model(model: type[_T], data: Any, folder: Path, file: str, place: Sequence[str] = ()) -> _T:
    try:
        return TypeAdapter(model).validate_python(data)
    except ValidationError as error:
        inner, problem = first_fault(error, data)
        raise fault_in(folder, file, ".".join([*place, *inner]), problem) from error


def _database(folder: Path, texts: dict[str, str]) -> dict[str, dict[str, Record]]:
    """Return the records as they stand in the file, after a check of what tools need of them."""
    data = _json(folder, DB_FILE, texts)
    if not isinstance(data, dict) or not set(_Database.model_fields) <= data.keys():
        problem = f"it is not the database of {DOMAIN}, the only domain that is played here"
        raise fault_in(folder, DB_FILE, "", problem, f"give the folder of {DOMAIN}")
    checked = _model(_Database, data, folder, DB_FILE)
    own_keys = {
        "users": {key: user.user_id for key, user in checked.users.items()},
        "orders": {key: order.order_id for key, order in checked.orders.items()},
        "products": {key: product.product_id for key, product in checked.products.items()},
    }
    for name, keys in own_keys.items():
        for key, own in keys.items():
            if key != own:
                raise fault_in(folder, DB_FILE, f"{name}.{key}", f"the record says it is {own}")
    for key, order in checked.orders.items():
        place = f"orders.{key}"
        if order.user_id not in checked.users:
            raise fault_in(folder, DB_FILE, f"{place}.user_id", f"no user {order.user_id}")
        for index, item in enumerate(order.items):
            if item.product_id not in checked.products:
                problem = f"no product {item.product_id}"
                raise fault_in(folder, DB_FILE, f"{place}.items.{index}.product_id", problem)
    return {name: data[name] for name in own_keys}


def _tasks(folder: Path, texts: dict[str, str]) -> tuple[Task, ...]:
    data = _json(folder, TASKS_FILE, texts)
    if not isinstance(data, list) or not data:
        raise fault_in(folder, TASKS_FILE, "", "no list of tasks")
    tasks = tuple(_model(Task, e, folder, TASKS_FILE, [str(i)]) for i, e in enumerate(data))
    seen: set[str] = set()
    for index, task in enumerate(tasks):
        if task.id in seen:
            raise fault_in(folder, TASKS_FILE, f"{index}.id", f"{task.id} stands twice")
        seen.add(task.id)
        if task.initial_state is not None:
            problem = "a state of its own at the start is not read"
            raise fault_in(folder, TASKS_FILE, f"{index}.initial_state", problem)
        if task.evaluation_criteria.env_assertions:
            field = f"{index}.evaluation_criteria.env_assertions"
            raise fault_in(folder, TASKS_FILE, field, "assertions on the environment are not read")
    return tasks


def _recording(folder: Path, texts: dict[str, str]) -> dict[str, tuple[Step, ...]]:
    found: dict[str, tuple[Step, ...]] = {}
    for number, line in enumerate(texts[RECORDING_FILE].splitlines(), 1):
        if line.strip():
            data = _parsed(line, folder, RECORDING_FILE, number)
            entry = _model(_Recording, data, folder, RECORDING_FILE, [f"line {number}"])
            found[entry.task_id] = tuple(entry.steps)
    return found
