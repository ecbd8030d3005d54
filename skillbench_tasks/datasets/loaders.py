"""Cases: skills, scenarios and worlds brought together, with gold runs and checks.

Anything broken is an error that names file, field and mend; nothing is skipped, nothing passes for
lack of checks.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from skillbench_tasks.datasets.checks import checks_of
from skillbench_tasks.datasets.gold import gold_run
from skillbench_tasks.datasets.mocked_gates import refuse_mocked_gates
from skillbench_tasks.datasets.own_tools import catalogue_of
from skillbench_tasks.datasets.references import check_references
from skillbench_tasks.datasets.skill_files import (
    GOLD_FILE,
    SCENARIOS_FILE,
    SKILL_FILE,
    read_gold,
    read_skill,
)
from skillbench_tasks.datasets.world_files import base_world, world_file, world_path
from skillbench_tasks.errors import DataError
from skillbench_tasks.files import is_there, line_of, model_from, read_yaml, shown
from skillbench_tasks.models import Case, GoldConversation, Persona, Scenario, Skill, SlotSpec
from skillbench_tasks.tools.toolbox import Tool
from skillbench_tasks.tools.workflow import Program, parse_program
from skillbench_tasks.tools.world import World

__all__ = [
    "SKILLS_FOLDER",
    "case_by_id",
    "cases_of",
    "company_of",
    "load_cases",
    "load_personas",
    "load_skills",
    "load_slots",
    "skill_tools",
    "start_world",
]

_FOLDER = Path(__file__).parent
SKILLS_FOLDER = _FOLDER / "skills"


@cache
def load_personas() -> Mapping[str, Persona]:
    """Return the personas by name."""
    path = _FOLDER / "personas.yaml"
    return {
        name: model_from(Persona, {**entry, "name": name}, path, f"personas.{name}")
        for name, entry in read_yaml(path)["personas"].items()
    }


@cache
def load_slots(folder: str = "") -> Mapping[str, SlotSpec]:
    """Return what agents can ask for, by slot name.

    Args:
        folder: A skill's folder; its own `slots.yaml`, where there is one, adds to those that ship.
    """
    path = _FOLDER / "slots.yaml"
    own = Path(folder) / "slots.yaml"
    slots = _read_slots(path)
    return {**slots, **_read_slots(own)} if folder and is_there(own) else slots


@cache
def _read_slots(path: Path) -> Mapping[str, SlotSpec]:
    data = read_yaml(path)
    slots = data.get("slots") if isinstance(data, dict) else None
    if not isinstance(slots, dict):
        raise DataError(shown(path), "slots", "no mapping", "map names of slots to what they are")
    return {
        str(name): model_from(SlotSpec, entry, path, f"slots.{name}")
        for name, entry in slots.items()
    }


def load_skills(folder: Path | None = None, only: str | None = None) -> list[Skill]:
    """Read all skill folders below a folder, by industry and name.

    Args:
        folder: Where to look; default: the skills that ship.
        only: Name of the one skill to read; the others are not looked at.

    Raises:
        DataError: There is none, or one is broken.
    """
    root = folder or SKILLS_FOLDER
    folders = [path for path in _skill_folders(root) if only in (None, path.name)]
    if not folders:
        problem = f"no {only}/SKILL.md below it" if only else "no SKILL.md below it"
        raise DataError(str(root), "", problem, "give a folder of skills")
    _refuse_same_names(folders)
    return [read_skill(path) for path in folders]


def _skill_folders(root: Path) -> list[Path]:
    """Return every folder that holds a SKILL.md, linked ones too, each once."""
    found: dict[Path, Path] = {}
    seen: set[Path] = set()
    for place, folders, names in os.walk(root, followlinks=True):
        path = Path(place)
        real = path.resolve()
        if real in seen:  # linked a second time: its own name goes before a link's
            folders.clear()
            if real in found and path.name == real.name:
                found[real] = path
            continue
        seen.add(real)
        above = (real, *real.parents)
        if inner := [name for name in folders if _real(path / name) in above]:
            problem = "a link that leads to a folder above it"
            raise DataError(shown(path / inner[0]), "", problem, "take it out")
        if SKILL_FILE in (*names, *folders):
            found[real] = path
    return sorted(found.values())


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # a link to itself
        problem = "a link that leads nowhere"
        raise DataError(shown(path), "", problem, "take it out") from error


def _refuse_same_names(folders: Sequence[Path]) -> None:
    seen: dict[str, Path] = {}
    for path in folders:
        if path.name in seen:
            problem = f"{shown(seen[path.name])} has the same name"
            raise DataError(shown(path), "name", problem, "rename one: ids would stand twice")
        seen[path.name] = path


@contextmanager
def _no_collection_of_garbage() -> Iterator[None]:
    """Loading makes many objects, all of which stay: to look for garbage among them is waste."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@cache
def _shipped_cases() -> tuple[Case, ...]:
    """Return the cases that ship; `skillbench check` and the tests check their references."""
    with _no_collection_of_garbage():
        skills = load_skills()
        return tuple(case for skill in skills for case in cases_of(skill, check=False))


def load_cases(folder: Path | None = None) -> tuple[Case, ...]:
    """Return every case of the skills below a folder, in the order of their ids' files.

    Args:
        folder: Where to look; default: the skills that ship.

    Raises:
        DataError: Something is broken, or an id stands twice.
    """
    if folder is None:
        return _shipped_cases()
    with _no_collection_of_garbage():
        cases = tuple(case for skill in load_skills(folder) for case in cases_of(skill))
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise DataError(str(folder), case.id, "two skills share the id", "rename one")
        seen.add(case.id)
    return cases


def cases_of(skill: Skill, *, words: bool = True, check: bool = True) -> list[Case]:
    """Return the cases of one skill: gold runs done, words attached, checks computed.

    Args:
        skill: The skill.
        words: Whether to attach the authored words; without them the turns have empty texts.
        check: Whether to check flow, rules and scenarios against what they name.
    """
    folder = Path(skill.folder)
    tools = skill_tools(skill)
    if check:
        check_references(skill, load_personas(), load_slots(skill.folder))
    program = parse_program(skill.program)
    assert isinstance(program, Program)
    authored = read_gold(folder) if words else {}
    _refuse_strangers(skill, authored, folder)
    return [_case(skill, scenario, program, tools, authored) for scenario in skill.scenarios]


def skill_tools(skill: Skill) -> list[Tool]:
    """Return the toolkit of a skill: tools that ship, and its own.

    Raises:
        DataError: One of the tools is not there, or a file of own tools is broken.
    """
    known = catalogue_of(skill).tools
    for name in skill.toolkit:
        if name not in known:
            file = shown(Path(skill.folder) / "SKILL.md")
            mend = "see docs/catalogue-records.md, or bring it in tools/<server>.yaml"
            raise DataError(file, "metadata.toolkit", f"no tool {name}", mend)
    return [known[name] for name in skill.toolkit]


def start_world(skill: Skill, scenario: Scenario) -> World:
    """Return the world in which a scenario starts: its industry's base world with its patch."""
    world = base_world(world_path(skill), catalogue_of(skill)).copy()
    path = Path(skill.folder) / SCENARIOS_FILE
    for index, patch in enumerate(scenario.patch):
        try:
            world.apply(patch)
        except KeyError as error:
            field = f"{scenario.id}.patch.{index}"
            raise DataError(shown(path), field, str(error.args[0]), "mend the patch") from error
    return world


def _case(
    skill: Skill,
    scenario: Scenario,
    program: Program,
    tools: Sequence[Tool],
    words: Mapping[str, Mapping[str, object]],
) -> Case:
    path = Path(skill.folder) / SCENARIOS_FILE
    world = start_world(skill, scenario)
    if scenario.customer is not None and world.get("customers", scenario.customer) is None:
        field = f"{scenario.id}.customer"
        raise DataError(shown(path), field, f"no customer {scenario.customer}", "see the world")
    gold = gold_run(scenario, program, tools, world, shown(path))
    specs, slots = [tool.spec for tool in tools], load_slots(skill.folder)
    checks = checks_of(skill, scenario, gold, world, specs, slots)
    refuse_mocked_gates(scenario, gold, checks, tools, path)
    if not checks.required_tools and not checks.must_say:
        index = skill.scenarios.index(scenario)
        line = line_of(path, ["scenarios", str(index), "id"])
        mend = "mark facts as `must` in the flow, or require a tool"
        raise DataError(shown(path), scenario.id, "nothing gates the case", mend, line)
    gold = _with_words(gold, words.get(scenario.id), Path(skill.folder))
    return Case(skill=skill, scenario=scenario, gold=gold, checks=checks)


def _with_words(
    gold: GoldConversation, entry: Mapping[str, object] | None, folder: Path
) -> GoldConversation:
    if entry is None:
        return gold
    texts = entry["turns"]
    assert isinstance(texts, list)
    file = shown(folder / GOLD_FILE)
    where = "" if SKILLS_FOLDER in folder.parents else f" --skills {folder.parent}"
    mend = f"run `skillbench skeleton {folder.name}{where}` and write the words anew"
    if entry.get("skeleton") != gold.skeleton:
        raise DataError(file, gold.scenario, "written for another skeleton", mend)
    if len(texts) != len(gold.turns):
        problem = f"{len(texts)} texts for {len(gold.turns)} turns"
        raise DataError(file, gold.scenario, problem, mend)
    turns = [t.model_copy(update={"text": s}) for t, s in zip(gold.turns, texts, strict=True)]
    return gold.model_copy(update={"turns": tuple(turns)})


def _refuse_strangers(skill: Skill, words: Mapping[str, object], folder: Path) -> None:
    known = {scenario.id for scenario in skill.scenarios}
    for name in words:
        if name not in known:
            raise DataError(shown(folder / GOLD_FILE), name, "no such scenario", "take it out")


def company_of(skill: Skill) -> str:
    """Return the name of the company in whose world a skill works."""
    return world_file(world_path(skill)).company


@cache
def _by_id(folder: Path | None) -> Mapping[str, Case]:
    return {case.id: case for case in load_cases(folder)}


def case_by_id(case_id: str, folder: Path | None = None) -> Case:
    """Return one case.

    Raises:
        DataError: There is none with that id.
    """
    case = _by_id(folder).get(case_id)
    if case is None:
        raise DataError(str(folder or "skills"), case_id, "no such case", "see `skillbench list`")
    return case
