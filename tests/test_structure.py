"""The tree keeps its shape: layers, sizes, names, exports, and nothing private in the files.

Each check is a function from a folder to a list of problems, and is tried on a small bad tree too.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = "skillbench_tasks"

# From the ground up. A unit (module or package right under the root) may import itself and the
# layers below its own; units of one layer do not know each other. PACKAGE is its __init__.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"errors", "model_output", "versions"}),
    frozenset({"files", "json_text", "patterns", "task_options", "structured_output"}),
    frozenset({"models"}),
    frozenset({"tools"}),
    frozenset({"datasets"}),
    frozenset({"scorers", "solvers"}),
    frozenset({"zero_shot"}),
    frozenset({"gold_history"}),
    frozenset({"closed_loop"}),
    frozenset({"global_orchestration", "step_by_step", "local_construction", "replan"}),
    frozenset({"judge_calibration"}),
    frozenset({"construction"}),
    frozenset({PACKAGE}),
    frozenset({"reports"}),
    frozenset({"_registry"}),
    frozenset({"cli"}),
    frozenset({"__main__"}),
)
RANK = {unit: rank for rank, layer in enumerate(LAYERS) for unit in layer}
TASK_FILES = frozenset().union(*LAYERS[RANK["zero_shot"] : RANK["judge_calibration"] + 1])

MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 50
TASK_FILE_LINES_MAX = 120
VAGUE_NAMES = frozenset({"utils", "util", "helpers", "helper", "common", "misc"})

REGISTRY_HOST = re.compile(
    r"\b(?:pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|deb\.debian\.org|crates\.io)\b", re.I
)
MACHINE_PATH = re.compile(r"(?<![\w.\-/~$}])/(?:work|root|home)(?=[/\s\"'`:;,)\]]|$)", re.M)
EMAIL = re.compile(r"\b[\w.+-]+@((?:[\w-]+\.)+[a-z]{2,})\b", re.I)
EXAMPLE_DOMAIN = re.compile(r"(?:^|\.)(?:example\.(?:com|org|net)|example|test|invalid)$", re.I)


def _modules(root: Path, package: str = PACKAGE) -> Iterator[tuple[str, Path, ast.Module]]:
    """Every module of the package under `root`: dotted name, path, syntax tree."""
    for path in sorted((root / package).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield name, path, ast.parse(path.read_text(encoding="utf-8"))


def _imported_names(tree: ast.Module, package: str) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of each import, wherever in the module it stands."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                above = package.split(".")[: len(package.split(".")) - level + 1] if level else []
                base = ".".join([*above, *([module] if module else [])])
                yield from ((node.lineno, f"{base}.{alias.name}") for alias in names)
            case ast.Call(
                func=ast.Name(id="__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(target)), *_],
            ):
                yield node.lineno, target


def _unit(name: str, units: frozenset[str]) -> str:
    """The unit a dotted name belongs to: PACKAGE itself for a name that its __init__ defines."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in units else PACKAGE


def _may_import(importer: str, imported: str) -> bool:
    if importer == imported or not {importer, imported} <= RANK.keys():
        return True  # an unknown unit is a problem of its own
    return RANK[imported] < RANK[importer]


def import_problems(root: Path) -> list[str]:
    """Imports that point upwards or sideways, and units that no layer names."""
    modules = list(_modules(root))
    found = {name.split(".")[1] for name, _, _ in modules if "." in name}
    units = frozenset(found | (RANK.keys() - {PACKAGE}))
    problems = [f"{unit}: stands in no layer" for unit in sorted(units - RANK.keys())]
    for name, path, tree in modules:
        importer = _unit(name, units)
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for line, target in _imported_names(tree, package):
            if target.split(".")[0] != PACKAGE:
                continue
            imported = _unit(target, units)
            if not _may_import(importer, imported):
                problems.append(
                    f"{path.relative_to(root)}:{line}: {importer} must not import {imported}"
                )
    return sorted(set(problems))


def size_problems(root: Path) -> list[str]:
    """Modules, task files and functions over their cap."""
    problems = []
    for name, path, tree in _modules(root):
        place = path.relative_to(root)
        lines = len(path.read_text(encoding="utf-8").splitlines())
        is_task_file = name.removeprefix(f"{PACKAGE}.") in TASK_FILES
        cap = TASK_FILE_LINES_MAX if is_task_file else MODULE_LINES_MAX
        if lines > cap:
            problems.append(f"{place}: {lines} lines, cap {cap}")
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                if size > FUNCTION_LINES_MAX:
                    where = f"{place}:{node.lineno}: {node.name}"
                    problems.append(f"{where}: {size} lines, cap {FUNCTION_LINES_MAX}")
    return problems


def name_problems(root: Path) -> list[str]:
    """Modules and packages whose name says nothing."""
    return [
        f"{path.relative_to(root)}: name it after what it holds"
        for name, path, _ in _modules(root)
        if name.rpartition(".")[2].strip("_") in VAGUE_NAMES
    ]


def _declares_all(tree: ast.Module) -> bool:
    targets: list[ast.expr] = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AnnAssign):
            targets.append(node.target)
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def _is_documented(value: object) -> bool:
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return True  # a constant has no docstring of its own
    if getattr(value, "__name__", "") == "metric_wrapper":
        return True  # Inspect's decorator drops the docstring of a metric
    text = value.__doc__ or ""
    is_generated = text.startswith(f"{getattr(value, '__name__', '')}(")  # a dataclass without one
    return bool(text.strip()) and not is_generated


def export_problems(root: Path, package: str = PACKAGE) -> list[str]:
    """Packages without `__all__`; names in an `__all__` that are absent or undocumented."""
    problems = []
    for name, path, tree in _modules(root, package):
        if not _declares_all(tree):
            if path.name == "__init__.py":
                problems.append(f"{path.relative_to(root)}: no __all__")
            continue
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            problems.append(f"{name}: does not import: {error}")
            continue
        for exported in module.__all__:
            if not hasattr(module, exported):
                problems.append(f"{name}.{exported}: exported but absent")
            elif not _is_documented(getattr(module, exported)):
                problems.append(f"{name}.{exported}: exported without a docstring")
    return problems


def privacy_problems(root: Path, paths: Iterable[Path]) -> list[str]:
    """Registry hosts, paths of one machine, and e-mail addresses that may be somebody's."""
    problems = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # not a text file
        found = [*REGISTRY_HOST.finditer(text), *MACHINE_PATH.finditer(text)]
        found += [match for match in EMAIL.finditer(text) if not EXAMPLE_DOMAIN.search(match[1])]
        for match in found:
            line = text.count("\n", 0, match.start()) + 1
            problems.append(f"{path.relative_to(root)}:{line}: {match[0]}")
    return problems


def _tracked_files() -> list[Path]:
    if not (git := shutil.which("git")):
        pytest.skip("git is not installed")
    listing = subprocess.run(
        [git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def _plant(root: Path, path: str, text: str, package: str = PACKAGE) -> None:
    target = root / package / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "check",
    [import_problems, size_problems, name_problems, export_problems],
    ids=lambda c: c.__name__,
)
def test_package_keeps_its_shape(check: Callable[[Path], list[str]]) -> None:
    problems = check(ROOT)
    assert not problems, "\n".join(problems)


def test_tracked_files_name_no_registry_machine_or_person() -> None:
    problems = privacy_problems(ROOT, _tracked_files())
    assert not problems, "\n".join(problems)


def test_layers_name_each_unit_once() -> None:
    assert sum(map(len, LAYERS)) == len(RANK)


@pytest.mark.parametrize(
    ("path", "text", "forbidden"),
    [
        pytest.param("tools/a.py", "import skillbench_tasks.datasets.b", "datasets", id="upward"),
        pytest.param("scorers/a.py", "from ..solvers import b", "solvers", id="sideways, relative"),
        pytest.param(
            "solvers/a.py", "from .. import scorers", "scorers", id="sideways, unit itself"
        ),
        pytest.param(
            "models.py", "from .tools.world import W", "tools", id="relative, from a module"
        ),
        pytest.param("tools/__init__.py", "from ..cli import main", "cli", id="from an __init__"),
        pytest.param(
            "datasets/a.py",
            "def f():\n    from skillbench_tasks.scorers import b",
            "scorers",
            id="in a function",
        ),
        pytest.param(
            "tools/a.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..reports import b",
            "reports",
            id="for types only",
        ),
        pytest.param(
            "tools/a.py",
            "import importlib\nimportlib.import_module('skillbench_tasks.solvers')",
            "solvers",
            id="by name",
        ),
        pytest.param(
            "replan.py", "from skillbench_tasks import step_by_step", "step_by_step", id="peer"
        ),
        pytest.param(
            "datasets/a.py", "from skillbench_tasks import __version__", PACKAGE, id="root"
        ),
    ],
)
def test_import_against_the_layers_is_found(
    tmp_path: Path, path: str, text: str, forbidden: str
) -> None:
    _plant(tmp_path, path, text)
    (problem,) = import_problems(tmp_path)
    assert problem.endswith(f"must not import {forbidden}")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param("scorers/a.py", "from skillbench_tasks.datasets import b", id="downward"),
        pytest.param("tools/workflow/a.py", "from ..world import W", id="within a unit"),
        pytest.param("closed_loop.py", "from . import gold_history", id="earlier task file"),
        pytest.param("__init__.py", "from .zero_shot import zero_shot", id="public names"),
        pytest.param("tools/a.py", "import datasets\nfrom reports import x", id="foreign packages"),
    ],
)
def test_import_along_the_layers_passes(tmp_path: Path, path: str, text: str) -> None:
    _plant(tmp_path, path, text)
    assert import_problems(tmp_path) == []


def test_unit_without_a_layer_is_found(tmp_path: Path) -> None:
    _plant(tmp_path, "extras/a.py", "")
    assert import_problems(tmp_path) == ["extras: stands in no layer"]


@pytest.mark.parametrize(
    ("path", "lines", "cap"),
    [
        pytest.param("tools/a.py", ["x = 1"], MODULE_LINES_MAX, id="module"),
        pytest.param("zero_shot.py", ["x = 1"], TASK_FILE_LINES_MAX, id="task file"),
        pytest.param("tools/a.py", ["def f():", "    x = 1"], FUNCTION_LINES_MAX, id="function"),
    ],
)
def test_size_over_its_cap_is_found(tmp_path: Path, path: str, lines: list[str], cap: int) -> None:
    for size, count in ((cap, 0), (cap + 1, 1)):
        _plant(tmp_path, path, "\n".join([*lines, *lines[-1:] * (size - len(lines))]))
        assert len(size_problems(tmp_path)) == count


@pytest.mark.parametrize("path", ["tools/utils.py", "common/__init__.py", "scorers/_helpers.py"])
def test_vague_name_is_found(tmp_path: Path, path: str) -> None:
    _plant(tmp_path, path, "")
    assert len(name_problems(tmp_path)) == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", "no __all__", id="no list"),
        pytest.param("__all__ = ['f']", "exported but absent", id="absent"),
        pytest.param("__all__ = ['f']\ndef f(): ...", "without a docstring", id="function"),
        pytest.param(
            "from dataclasses import dataclass\n__all__ = ['D']\n@dataclass\nclass D:\n    x: int",
            "without a docstring",
            id="dataclass",
        ),
        pytest.param("__all__ = ['f', 'N']\nN = 1\ndef f():\n    'Does.'", None, id="good"),
    ],
)
def test_bad_export_is_found(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    text: str,
    problem: str | None,
) -> None:
    package = re.sub(r"\W", "_", f"planted_{request.node.callspec.id}")
    _plant(tmp_path, "__init__.py", text, package)
    monkeypatch.syspath_prepend(tmp_path)
    found = export_problems(tmp_path, package)
    assert [row.endswith(problem) for row in found] == [True] if problem else not found


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("index = https://{host}/simple", 1, id="registry"),
        pytest.param("open('{path}/main/x')", 1, id="machine path"),
        pytest.param("cd {path}", 1, id="machine path at the end"),
        pytest.param("write to {person}", 1, id="person"),
        pytest.param("ana.diaz+1@mail.example.com, bo@shop.example", 0, id="example addresses"),
        pytest.param(
            "https://example.com{path}/x ../shared{path}/y $HOME{path}/z", 0, id="other paths"
        ),
        pytest.param("@pytest.mark.slow  a@b", 0, id="no address"),
    ],
)
def test_private_text_is_found(tmp_path: Path, text: str, count: int) -> None:
    # Put together here, so that this file holds none of them.
    private = {"host": "pypi" + ".org", "path": "/" + "work", "person": "ana" + "@" + "corp.io"}
    file = tmp_path / "a.md"
    file.write_text("first line\n" + text.format(**private), encoding="utf-8")
    problems = privacy_problems(tmp_path, [file])
    assert len(problems) == count
    assert all(problem.startswith("a.md:2: ") for problem in problems)
