"""A model server on loopback that plays gold conversations and counts who called it.

It speaks the plain chat format, is stateless (each answer is a function of the conversation) and
sits in the test's process, so that its counts outlive a run that is killed.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from skillbench_tasks.datasets.script import gold_script
from skillbench_tasks.models import Case

__all__ = ["AGENT", "JUDGES", "USER", "CountingStub", "running_stub"]

AGENT = "openai-api/counted/agent"
USER = "openai-api/counted/user"
JUDGES = ("openai-api/counted/judge-a", "openai-api/counted/judge-b")

_TOKENS_CACHED = 3


class CountingStub:
    """What the stub knows and what was asked of it.

    Args:
        cases: The conversations it can play, known by their opening. It refuses in every third.
    """

    def __init__(self, cases: Iterable[Case]) -> None:
        self._cases = {case.scenario.opening: (n, case) for n, case in enumerate(cases)}
        self._lock = threading.Lock()
        self.calls: list[tuple[str, str]] = []
        self.on_call: Callable[[int], None] = lambda count: None
        self.verdict: Callable[[str], str] = lambda text: "no verdict"

    def by_case(self) -> Counter[tuple[str, str]]:
        """Return how often each model was called for each case."""
        with self._lock:
            return Counter(self.calls)

    def answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Answer one request for a chat completion."""
        model, messages = str(body["model"]), list(body["messages"])
        number, case = self._case(messages)
        with self._lock:
            self.calls.append((model, case.id))
            count = len(self.calls)
        self.on_call(count)
        message = self._message(model, number, case, messages)
        spoken, sent = len(json.dumps(message)), len(json.dumps(messages))
        usage = {
            "prompt_tokens": sent,
            "completion_tokens": spoken,
            "total_tokens": sent + spoken,
            "prompt_tokens_details": {"cached_tokens": _TOKENS_CACHED},
        }
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return {
            "id": "stub",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [choice],
            "usage": usage,
        }

    def _case(self, messages: Sequence[Mapping[str, Any]]) -> tuple[int, Case]:
        text = json.dumps([_text(m) for m in messages], ensure_ascii=False)
        found = [known for opening, known in self._cases.items() if _quoted(opening) in text]
        (only,) = found
        return only

    def _message(
        self, model: str, number: int, case: Case, messages: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        if model.startswith("judge"):
            return _said(self.verdict(f"{model} {case.id}"))
        turns = gold_script(case).turns
        if model == "user":
            told = [turn.text for turn in turns if turn.role == "user"]
            heard = sum(m["role"] == "user" for m in messages) - 1
            return _said(told[heard] if heard < len(told) else "Thanks, bye. ###RESOLVED###")
        if number % 3 == 2:
            return _said("I'm sorry, but I can't help with that.")
        own = [turn for turn in turns if turn.role == "agent"]
        said = sum(m["role"] == "user" for m in messages) - 1
        if said >= len(own):
            return _said("Is there anything else?")
        made = _calls_since_user(messages)
        if made < len(own[said].calls):
            call = own[said].calls[made]
            name = call.tool.removeprefix("mcp.").replace(":", "__")
            function = {"name": name, "arguments": json.dumps(call.arguments)}
            identity = f"call-{len(messages)}"
            calls = [{"id": identity, "type": "function", "function": function}]
            return {"role": "assistant", "content": None, "tool_calls": calls}
        return _said(own[said].text)


def _said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _calls_since_user(messages: Sequence[Mapping[str, Any]]) -> int:
    last = max(i for i, message in enumerate(messages) if message["role"] == "user")
    return sum(message["role"] == "tool" for message in messages[last:])


@contextmanager
def running_stub(stub: CountingStub) -> Iterator[str]:
    """Serve a stub on a free port of this machine and return the base URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = json.dumps(stub.answer(sent)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def handle_one_request(self) -> None:
            # The client may have been killed.
            try:
                super().handle_one_request()
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
