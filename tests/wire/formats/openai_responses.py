"""OpenAI's responses API, without a store: reasoning goes back encrypted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.wire.formats.openai_chat import OpenAIChat, arguments_text, openai_error
from tests.wire.neutral import Answer, Asked, Call, Failure, Message, Offered, Reply, Result

__all__ = ["OpenAIResponses"]

_ROLES: Mapping[str, Any] = {
    "system": "system", "developer": "system", "user": "user", "assistant": "agent"
}  # fmt: skip


class OpenAIResponses:
    """The responses API: a flat list of items in, a list of items out."""

    def read(self, path: str, body: Mapping[str, Any]) -> Asked:
        """Return what a request asks."""
        items = body["input"]
        if isinstance(items, str):
            items = [{"type": "message", "role": "user", "content": items}]
        messages: list[Message] = []
        for item in items:
            _add(messages, item)
        tools = tuple(
            Offered(tool["name"], tool["description"], tool["parameters"])
            for tool in body.get("tools") or ()
        )
        schema = (body.get("text") or {}).get("format", {}).get("schema")
        return Asked(body["model"], tuple(messages), tools, schema)

    def write(self, body: Mapping[str, Any], asked: Asked, reply: Reply) -> Answer:
        """Return the answer to a request."""
        number = asked.seat
        output: list[dict[str, Any]] = []
        if reply.reasoning:
            summary = [{"type": "summary_text", "text": reply.reasoning}]
            output.append(
                {
                    "type": "reasoning",
                    "id": f"rs_{number}",
                    "summary": summary,
                    "encrypted_content": f"sealed-{number}",
                }
            )
        if reply.text:
            part = {"type": "output_text", "text": reply.text, "annotations": []}
            output.append(
                {
                    "type": "message",
                    "id": f"msg_{number}",
                    "role": "assistant",
                    "status": "completed",
                    "content": [part],
                }
            )
        for index, call in enumerate(reply.calls):
            identity = asked.calls_so_far + index
            output.append(
                {
                    "type": "function_call",
                    "id": f"fc_{identity}",
                    "call_id": f"call_{identity}",
                    "name": call.name,
                    "arguments": arguments_text(call),
                    "status": "completed",
                }
            )
        return Answer.of(_response(asked, output, is_cut=reply.is_cut))

    def fail(self, failure: Failure) -> Answer:
        """Return the provider's refusal."""
        if failure == "context":
            text = "Your input exceeds the context window of this model. Please adjust your input."
            return openai_error(400, "invalid_request_error", "context_length_exceeded", text)
        return OpenAIChat().fail(failure)


def _response(asked: Asked, output: list[dict[str, Any]], *, is_cut: bool) -> dict[str, Any]:
    return {
        "id": f"resp_{asked.seat}",
        "object": "response",
        "created_at": 1,
        "status": "incomplete" if is_cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut else None,
        "error": None,
        "model": asked.model,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 11,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 3},
            "total_tokens": 18,
        },
    }


def _add(messages: list[Message], item: Mapping[str, Any]) -> None:
    """Add an item: what an agent thought, said and called in one go is one message."""
    last = messages[-1] if messages else None
    match item.get("type", "message"):
        case "reasoning":
            proof = f"{item['id']}:{item.get('encrypted_content')}"
            messages.append(Message("agent", proof=proof))
        case "function_call":
            call = Call(item["name"], _arguments(item["arguments"]), item["call_id"])
            if last is None or last.role != "agent":
                last = Message("agent")
            else:
                messages.pop()
            messages.append(Message("agent", last.text, (*last.calls, call), proof=last.proof))
        case "function_call_output":
            result = Result(item["call_id"], item["output"])
            earlier = messages.pop().results if last is not None and last.role == "tool" else ()
            messages.append(Message("tool", results=(*earlier, result)))
        case _:
            role = _ROLES[item["role"]]
            proof = ""
            if role == "agent" and last is not None and last.role == "agent" and not last.text:
                proof = messages.pop().proof
            messages.append(Message(role, _text(item["content"]), proof=proof))


def _arguments(text: str) -> Mapping[str, Any]:
    """Return a call's arguments; broken ones come back as the model wrote them."""
    try:
        arguments: Mapping[str, Any] = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return arguments


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part["text"] for part in content)
    return str(content)
