"""One HTTP server on loopback for all wire formats; it captures every request."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from tests.wire.formats.anthropic import Anthropic
from tests.wire.formats.google import Google
from tests.wire.formats.openai_chat import OpenAIChat
from tests.wire.formats.openai_responses import OpenAIResponses
from tests.wire.neutral import Answer, Asked, Broken, Play, WireFormat

__all__ = ["ENDPOINTS", "WIRES", "Seen", "StubServer", "Wire", "running_server"]


@dataclass(frozen=True)
class Wire:
    """A way from Inspect to a provider.

    Args:
        model: Inspect's name of the stub's model, with `{}` for the role that it plays.
        format: How requests and answers are written.
        on_broken: What a call with broken arguments becomes on this way.
        proof: What comes back with the reasoning of the reply of a number.
    """

    model: str
    format: WireFormat
    on_broken: Broken
    proof: str

    def name(self, role: str) -> str:
        """Return Inspect's name of the model that plays a role."""
        return self.model.format(role)

    def bare(self, role: str) -> str:
        """Return the model's name as the provider gets it."""
        name = self.name(role).split("/", 1)[1]
        return name.removeprefix("stub/") if self.model.startswith("openai-api/") else name


WIRES: Final[Mapping[str, Wire]] = {
    "openai_chat": Wire("openai/gpt-4o-{}", OpenAIChat(), "unreadable", "MOONWORT thought {}"),
    "openai_responses": Wire(
        "openai/gpt-5-{}", OpenAIResponses(), "unreadable", "rs_agent-{0}:sealed-agent-{0}"
    ),
    "anthropic": Wire("anthropic/claude-sonnet-4-5-{}", Anthropic(), "partial", "signed-agent-{}"),
    "google": Wire("google/gemini-2.5-flash-{}", Google(), "nothing", "thought-agent-{}"),
    "vllm": Wire("vllm/stub/open-{}", OpenAIChat(), "unreadable", "MOONWORT thought {}"),
    "openai_api": Wire("openai-api/stub/any-{}", OpenAIChat(), "unreadable", "MOONWORT thought {}"),
}
"""Wire name → how Inspect reaches it."""

ENDPOINTS: Final[Mapping[str, str]] = {
    "OPENAI_BASE_URL": "/openai/v1",
    "ANTHROPIC_BASE_URL": "/anthropic",
    "GOOGLE_BASE_URL": "/google",
    "VLLM_BASE_URL": "/vllm/v1",
    "STUB_BASE_URL": "/stub/v1",
}
"""Environment variable → where the provider's paths begin at the server."""


@dataclass(frozen=True)
class Seen:
    """A captured request and the status of its answer."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    asked: Asked
    status: int

    @property
    def text(self) -> str:
        """The whole request as one text."""
        return json.dumps(self.body, ensure_ascii=False)


class StubServer:
    """Plays by model name, and what was asked of each.

    Args:
        address: Where it listens: `http://127.0.0.1:PORT`.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.plays: dict[str, Play] = {}
        self.paths: list[str] = []
        self.faults: list[str] = []
        self._seen: list[Seen] = []
        self._lock = threading.Lock()

    def seen(self, model: str) -> list[Seen]:
        """Return the requests to a model, in order."""
        with self._lock:
            return [one for one in self._seen if one.asked.model == model]

    def list_models(self, path: str) -> Answer:
        """Answer `GET …/models`."""
        self.paths.append(path)
        served = [{"id": name, "object": "model", "max_model_len": 65536} for name in self.plays]
        return Answer.of({"object": "list", "data": served})

    def answer(self, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Answer:
        """Answer a request for a generation."""
        self.paths.append(path)
        form = _format_of(path)
        asked = form.read(path, body)
        play = self.plays.get(asked.model)
        if play is None:
            return Answer.of({"error": {"message": f"no model {asked.model}"}}, 404)
        said = play(asked)
        answer = form.fail(said) if isinstance(said, str) else form.write(body, asked, said)
        with self._lock:
            self._seen.append(Seen(path, headers, body, asked, answer.status))
        return answer


def _format_of(path: str) -> WireFormat:
    if path.startswith("/anthropic/"):
        return WIRES["anthropic"].format
    if path.startswith("/google/"):
        return WIRES["google"].format
    if path.endswith("/responses"):
        return WIRES["openai_responses"].format
    return WIRES["openai_chat"].format


@contextmanager
def running_server() -> Iterator[StubServer]:
    """Run a server on a free port of this machine."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    http.daemon_threads = True
    stub = StubServer(f"http://127.0.0.1:{http.server_address[1]}")
    _Handler.stub = stub
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield stub
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


class _Handler(BaseHTTPRequestHandler):
    """Reads a request whole, answers it whole, keeps the connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    stub: StubServer

    def do_GET(self) -> None:
        self._send(self.stub.list_models(self.path))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            answer = self.stub.answer(self.path, dict(self.headers.items()), body)
        except Exception as error:  # noqa: BLE001 (a fault of the stub must not look like an outage)
            self.stub.faults.append(f"{self.path}: {error!r}")
            answer = Answer.of({"error": {"message": f"fault of the stub: {error!r}"}}, 418)
        self._send(answer)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
