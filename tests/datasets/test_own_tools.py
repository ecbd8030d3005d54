"""Tools that a skill brings along: loaded beside those that ship, every fault one line."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest

from skillbench_tasks.datasets.loaders import load_cases, load_skills, skill_tools, start_world
from skillbench_tasks.datasets.own_tools import catalogue_of
from skillbench_tasks.errors import DataError, SkillbenchError
from skillbench_tasks.tools import catalogue
from skillbench_tasks.tools.catalogue.own import shipped
from skillbench_tasks.tools.toolbox import Toolbox
from tests.mock import OWN_SKILLS

SHARED = "tools/transit.yaml"
OWN = "parcel-desk/tools/lockers.yaml"


def _copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(OWN_SKILLS, tmp_path / "skills"))


def _replaced(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_skill_with_own_tools_loads_them_from_its_folder_and_from_beside_it() -> None:
    cases = load_cases(OWN_SKILLS)
    assert [case.id for case in cases] == ["parcel-desk.straightforward", "parcel-desk.lost_reply"]
    specs = {tool.spec.full_name: tool.spec for tool in skill_tools(cases[0].skill)}
    assert not specs["mcp.transit:get_transit"].is_declared
    assert specs["mcp.lockers:reserve_locker"].is_declared
    assert {"depots", "lockers", "customers"} <= catalogue_of(cases[0].skill).collections.keys()


def test_checks_of_own_tools_know_own_collections() -> None:
    checks = load_cases(OWN_SKILLS)[0].checks
    (change,) = checks.target
    assert (change.collection, change.key) == ("lockers", "LCK-1")
    assert checks.collections["lockers"].key == "locker_id"
    assert checks.toolkit["mcp.transit:redirect"] == "write"
    assert "mcp.transit:redirect" in checks.required_tools


def test_own_declared_tool_works_on_its_collection() -> None:
    case = load_cases(OWN_SKILLS)[0]
    toolbox = Toolbox(skill_tools(case.skill), start_world(case.skill, case.scenario))
    toolbox.call("mcp.lockers:reserve_locker", {"shop": "Elm Corner"})
    record = toolbox.world.get("lockers", "LCK-1")
    assert record is not None
    assert record["free"] == 1


def test_own_tools_leave_what_ships_alone() -> None:
    load_cases(OWN_SKILLS)
    assert "lockers" not in catalogue.collections()
    assert not any(name.startswith("mcp.transit:") for name in catalogue.tools())
    skill = load_skills()[0]
    assert catalogue_of(skill) is shipped()
    assert all(tool.spec.is_declared for tool in catalogue.tools().values())


SERVER = "server: {server}\ntitle: T\ndescription: D.\ntools:\n  - {{name: peek, title: Peek, description: P., access: read, input_schema: {{type: object, additionalProperties: false}}}}\n"


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        pytest.param("tools/crm.yaml", SERVER.format(server="crm"), "tools/crm.yaml:1: server: there is a server crm already: it ships", id="shipped server"),
        pytest.param("parcel-desk/tools/transit.yaml", SERVER.format(server="transit"), "server: there is a server transit already: it stands in skills/tools/transit.yaml", id="server twice"),
        pytest.param("tools/vans.yaml", SERVER.format(server="lorries"), "server: is lorries, the file vans.yaml; make them equal", id="file name"),
        pytest.param("tools/vans.yml", SERVER.format(server="vans"), "tools/vans.yml: is not read; name it vans.yaml", id="suffix"),
        pytest.param("parcel-desk/tools/collections.yaml", "collections:\n  tickets: {key: ticket_id, prefix: TIK}\n", "collections.yaml:2: collections.tickets: there is such a collection already; rename it", id="shipped collection"),
        pytest.param("parcel-desk/tools/collections.yaml", "collections:\n  depots: {key: depot_id, prefix: DEP}\n", "collections.depots: there is such a collection already", id="collection twice"),
        pytest.param("tools/collections.yaml", "collections: []\n", "tools/collections.yaml: collections: no collections", id="no collections"),
        pytest.param("tools/vans.yaml", "server: vans\n", "vans.yaml: title", id="incomplete server"),
    ],
)  # fmt: skip
def test_added_file_that_does_not_fit_is_one_line(
    tmp_path: Path, file: str, text: str, message: str
) -> None:
    folder = _copied(tmp_path)
    (folder / file).write_text(text, "utf-8")
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        load_cases(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        pytest.param(OWN, "collection: lockers, where", "collection: safes, where", "lockers.yaml:5: tools.0: reserve_locker: behaviour[0]: no collection safes", id="collection of a behaviour"),
        pytest.param(OWN, "args.shop}\"}, limit", "args.store}\"}, limit", "there is no argument store", id="argument"),
        pytest.param(OWN, "returns: \"${locker}\"", "returns: \"${safe}\"", "safe is not bound here", id="returns"),
        pytest.param(OWN, "access: write", "access: read", "access is read, but the behaviour writes", id="access"),
        pytest.param(OWN, "returns: \"${locker}\"", "returns: \"${locker}\"\n    example: {}", "an example is for a tool without a behaviour", id="example too many"),
        pytest.param(SHARED, "example: {parcel_id: \"${args.parcel_id}\", depot_id: DEP-1", "returns: {parcel_id: \"${args.parcel_id}\", depot_id: DEP-1", "returns needs a behaviour", id="returns without behaviour"),
        pytest.param(SHARED, "state: underway", "state: lost", "tools.0: get_transit: example: does not fit the output schema: expected one of", id="example against its schema"),
        pytest.param(SHARED, "example: {parcel_id: \"${args.parcel_id}\", shop", "example: {parcel_id: \"${args.parcel}\", shop", "example: there is no argument parcel", id="argument of an example"),
        pytest.param(SHARED, "pattern: \"^PAR-[0-9]+$\"}\n        depot", "pattern: \"[\"}\n        depot", "tools.0.output_schema", id="pattern"),
        pytest.param(SHARED, "{type: string, minLength: 3, description: \"Name of the shop.\"}", "{$ref: \"#/x\"}", "tools.2.input_schema: holds a $ref; write out what it refers to", id="reference"),
        pytest.param(SHARED, "name: list_transits", f"name: list_{'x' * 60}", "is longer than 64 characters; shorten it", id="name too long"),
        pytest.param(SHARED, "name: list_transits", "name: get_transit", "tools.1.name: the tool stands twice", id="tool twice"),
        pytest.param(SHARED, "minLength: 3", "minLength: x", "tools.2.input_schema: properties.shop.minLength", id="schema"),
        pytest.param("parcel-desk/SKILL.md", "mcp.transit:list_transits", "mcp.transit:list_vans", "parcel-desk/SKILL.md: metadata.toolkit: no tool mcp.transit:list_vans", id="toolkit"),
        pytest.param("parcel-desk/flow.yaml", "{lockers: [free]}", "{safes: [free]}", "rules.protected: no collection safes", id="protected"),
        pytest.param("parcel-desk/flow.yaml", "mcp.transit:get_transit\", arguments: {parcel_id", "mcp.transit:get_transit\", arguments: {parcel", "parcel-desk/flow.yaml: program.", id="arguments in the flow"),
        pytest.param("parcel-desk/flow.yaml", "mcp.transit:get_transit\", arguments: {parcel_id: \"${what.parcel_id}\"}", "mcp.transit:list_transits\", arguments: {customer_id: CUS-1}", "calls mcp.transit:list_transits, which has neither a behaviour nor an example", id="flow goes by nothing"),
        pytest.param("parcel-desk/scenarios.yaml", "{update: lockers,", "{update: safes,", "patch.0: no collection 'safes'", id="patch"),
        pytest.param("parcel-desk/scenarios.yaml", "checklist: [look up, redirect]", "checklist: [look up, redirect]\n    text_checks: [{collection: safes, field: note, all_of: [x]}]", "text_checks.0.collection: no collection safes", id="text check"),
        pytest.param("world.json", "\"lockers\": [", "\"safes\": [", "world.json: safes: no such collection", id="world"),
        pytest.param("world.json", "\"city\": \"Athens\"", "\"locker_id\": \"LCK-9\"", "depots.1.locker_id: no record LCK-9", id="reference between records"),
    ],
)  # fmt: skip
def test_broken_own_file_is_one_line_with_file_and_mend(
    tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    folder = _copied(tmp_path)
    _replaced(folder, file, old, new)
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        load_cases(folder)
    assert "\n" not in str(caught.value)
    assert "; " in str(caught.value)


def test_fact_that_must_be_said_and_only_a_mock_gives_is_refused(tmp_path: Path) -> None:
    folder = _copied(tmp_path)
    (folder / "parcel-desk/gold.json").unlink()
    old, new = 'facts: {shop: "${sent.shop}"}', 'facts: {shop: "${parcel.due_on}"}'
    _replaced(folder, "parcel-desk/flow.yaml", old, new)
    message = "the fact shop is checked, but only a mocked tool gives 2026-03-20; take it out"
    with pytest.raises(DataError, match=message):
        load_cases(folder)


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param([(SHARED, "state: underway", "shop: Elm Corner, state: underway"), ("parcel-desk/flow.yaml", 'facts: {shop: "${sent.shop}"}', 'facts: {shop: "${parcel.shop}"}')], id="known to the user"),
        pytest.param([("parcel-desk/flow.yaml", 'arguments: {parcel_id: "${parcel.parcel_id}", shop: "${what.shop}"}', 'arguments: {parcel_id: "${parcel.parcel_id}", shop: Moon Market}')], id="argument of the call"),
        pytest.param([("world.json", '"free": 2', '"free": 2, "checked_on": "2026-03-20"')], id="in the record before"),
    ],
)  # fmt: skip
def test_value_that_stands_elsewhere_too_may_be_checked(
    tmp_path: Path, edits: list[tuple[str, str, str]]
) -> None:
    folder = _copied(tmp_path)
    (folder / "parcel-desk/gold.json").unlink()
    for file, old, new in edits:
        _replaced(folder, file, old, new)
    assert load_cases(folder)


def test_target_world_that_holds_a_mocked_value_is_refused(tmp_path: Path) -> None:
    folder = _copied(tmp_path)
    (folder / "parcel-desk/gold.json").unlink()
    _replaced(folder, OWN, "set: {free:", 'set: {label: "${args.label}", free:')
    _replaced(
        folder,
        OWN,
        "      required: [shop]",
        "        label: {type: string}\n      required: [shop]",
    )
    old = 'arguments: {shop: "${what.shop}"}}'
    new = 'arguments: {shop: "${what.shop}", label: "${parcel.depot_id}"}}'
    _replaced(folder, "parcel-desk/flow.yaml", old, new)
    with pytest.raises(DataError, match=r"lockers\.LCK-1\.label of the target world is checked"):
        load_cases(folder)


def test_example_that_does_not_fit_when_computed_is_refused(tmp_path: Path) -> None:
    folder = _copied(tmp_path)
    new = 'example: {parcel_id: "${args.shop}", shop'
    _replaced(folder, SHARED, 'example: {parcel_id: "${args.parcel_id}", shop', new)
    _replaced(
        folder,
        SHARED,
        "        parcel_id: {type: string}\n",
        "        parcel_id: {type: string, pattern: PAR}\n",
    )
    with pytest.raises(DataError, match=r"the example of mcp.transit:redirect: parcel_id: .* mend"):
        load_cases(folder)


def test_undeclared_tool_without_a_mock_is_refused_by_the_toolbox() -> None:
    case = load_cases(OWN_SKILLS)[0]
    toolbox = Toolbox(skill_tools(case.skill), start_world(case.skill, case.scenario))
    with pytest.raises(SkillbenchError, match="has no declared behaviour, and there is no mock"):
        asyncio.run(toolbox.call_async("mcp.transit:get_transit", {"parcel_id": "PAR-1"}))
