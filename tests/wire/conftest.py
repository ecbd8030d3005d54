"""One stub server and one played suite for all tests of the wire."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import pytest

from tests.wire.server import ENDPOINTS, StubServer, running_server
from tests.wire.suite import Played, play_suite

_KEYS = {
    "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "VLLM_API_KEY", "STUB_API_KEY"
}  # fmt: skip


@pytest.fixture(scope="package")
def stub() -> Iterator[StubServer]:
    """A running server, to which the providers' environment variables point."""
    with running_server() as server, pytest.MonkeyPatch.context() as patch:
        for name, path in ENDPOINTS.items():
            patch.setenv(name, f"{server.address}{path}")
        for name in _KEYS:
            patch.setenv(name, "no-key-at-all")
        yield server
    with warnings.catch_warnings():  # the SDKs' clients leave their connections to the collector
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="package")
def played(stub: StubServer, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The suite, played once in each wire format."""
    return play_suite(stub, tmp_path_factory.mktemp("wire"))
