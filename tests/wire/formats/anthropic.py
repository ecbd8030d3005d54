"""Anthropic's messages, streamed as server-sent events; thinking goes back with its signature."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.wire.formats.openai_chat import SOON
from tests.wire.neutral import Answer, Asked, Call, Failure, Message, Offered, Reply, Result

__all__ = ["Anthropic"]

_ERRORS: Mapping[Failure, tuple[int, str, str]] = {
    "rate_limit": (429, "rate_limit_error", "This request would exceed your rate limit."),
    "server": (500, "api_error", "Internal server error"),
    "payment": (402, "billing_error", "Your credit balance is too low."),
    "auth": (401, "authentication_error", "invalid x-api-key"),
    "context": (
        400,
        "invalid_request_error",
        "prompt is too long: 208310 tokens > 200000 maximum",
    ),
}
_USAGE = {
    "input_tokens": 11,
    "output_tokens": 7,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    # Without it Inspect counts each thought by another request.
    "output_tokens_details": {"thinking_tokens": 3},
}
_Block = dict[str, Any]
_Event = dict[str, Any]


class Anthropic:
    """Messages with content blocks; results of tools stand in a user message."""

    def read(self, path: str, body: Mapping[str, Any]) -> Asked:
        """Return what a request asks."""
        system = Message("system", _text(body.get("system") or ""))
        messages = (system, *(_message(item) for item in body["messages"]))
        tools = tuple(
            Offered(tool["name"], tool["description"], tool["input_schema"])
            for tool in body.get("tools") or ()
        )
        schema = (body.get("output_format") or {}).get("schema")
        return Asked(body["model"], messages, tools, schema)

    def write(self, body: Mapping[str, Any], asked: Asked, reply: Reply) -> Answer:
        """Return the answer to a request, as a stream where it asks for one."""
        reason = "max_tokens" if reply.is_cut else "tool_use" if reply.calls else "end_turn"
        blocks = list(_blocks(asked, reply))
        if not body.get("stream"):
            return Answer.of({**_head(asked), "content": blocks, "stop_reason": reason})
        broken = {index for index, call in enumerate(reply.calls) if call.is_broken}
        first = len(blocks) - len(reply.calls)
        events: list[_Event] = [{"type": "message_start", "message": _head(asked)}]
        for index, block in enumerate(blocks):
            events += _block_events(index, block, is_broken=index - first in broken)
        delta = {"stop_reason": reason, "stop_sequence": None}
        events.append({"type": "message_delta", "delta": delta, "usage": _USAGE})
        events.append({"type": "message_stop"})
        text = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)
        return Answer(text.encode(), content_type="text/event-stream")

    def fail(self, failure: Failure) -> Answer:
        """Return the provider's refusal."""
        status, kind, message = _ERRORS[failure]
        error = {"type": kind, "message": message}
        return Answer.of({"type": "error", "error": error}, status, **SOON)


def _head(asked: Asked) -> dict[str, Any]:
    return {
        "id": f"msg_{asked.replies_so_far}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _USAGE,
    }


def _blocks(asked: Asked, reply: Reply) -> Iterator[_Block]:
    if reply.reasoning:
        signature = f"signed-{asked.seat}"
        yield {"type": "thinking", "thinking": reply.reasoning, "signature": signature}
    if reply.text:
        yield {"type": "text", "text": reply.text}
    for index, call in enumerate(reply.calls):
        identity = f"toolu_{asked.calls_so_far + index}"
        yield {"type": "tool_use", "id": identity, "name": call.name, "input": dict(call.arguments)}


def _block_events(index: int, block: _Block, *, is_broken: bool) -> Iterator[_Event]:
    empty = {"thinking": "", "signature": "", "text": "", "input": {}}
    start = {key: empty.get(key, value) for key, value in block.items()}
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in _deltas(block, is_broken=is_broken):
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _deltas(block: _Block, *, is_broken: bool) -> Iterator[dict[str, Any]]:
    match block["type"]:
        case "thinking":
            yield {"type": "thinking_delta", "thinking": block["thinking"]}
            yield {"type": "signature_delta", "signature": block["signature"]}
        case "text":
            half = len(block["text"]) // 2
            yield {"type": "text_delta", "text": block["text"][:half]}
            yield {"type": "text_delta", "text": block["text"][half:]}
        case _:
            text = json.dumps(block["input"])
            # A call that breaks off: the SDK closes the object where the stream ends.
            text = text[: text.index(",") + 4] if is_broken else text
            half = len(text) // 2
            yield {"type": "input_json_delta", "partial_json": text[:half]}
            yield {"type": "input_json_delta", "partial_json": text[half:]}


def _message(item: Mapping[str, Any]) -> Message:
    content = item["content"]
    if isinstance(content, str):
        return Message("agent" if item["role"] == "assistant" else "user", content)
    results = tuple(
        Result(block["tool_use_id"], _text(block["content"]))
        for block in content
        if block["type"] == "tool_result"
    )
    if results:
        return Message("tool", results=results)
    calls = tuple(
        Call(block["name"], block["input"], block["id"])
        for block in content
        if block["type"] == "tool_use"
    )
    proof = "".join(block["signature"] for block in content if block["type"] == "thinking")
    role: Any = "agent" if item["role"] == "assistant" else item["role"]
    return Message(role, _text(content), calls, proof=proof)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(block["text"] for block in content if block["type"] == "text")
