"""The guards in conftest.py hold."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest


@pytest.mark.parametrize("host", ["example.com", "192.0.2.1", b"example.org"])
def test_name_lookup_off_this_machine_is_refused(host: str | bytes) -> None:
    with pytest.raises(RuntimeError, match="this machine only"):
        socket.getaddrinfo(host, 443)


def test_connection_off_this_machine_is_refused() -> None:
    with socket.socket() as client, pytest.raises(RuntimeError, match="this machine only"):
        client.connect(("192.0.2.1", 443))


def test_connection_to_loopback_is_allowed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()


def test_environment_holds_no_credential() -> None:
    assert not [name for name in os.environ if name.endswith(("_API_KEY", "_TOKEN", "_BASE_URL"))]


def test_inspect_writes_to_a_temporary_folder() -> None:
    folders = {Path(os.environ[f"INSPECT_{kind}_DIR"]).parent for kind in ("CACHE", "LOG")}
    assert [folder.name.startswith("skillbench-tests-") for folder in folders] == [True]
