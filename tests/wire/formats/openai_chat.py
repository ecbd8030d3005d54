"""OpenAI chat completions, as OpenAI, vLLM and generic services speak them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.wire.neutral import Answer, Asked, Call, Failure, Message, Offered, Reply, Result

__all__ = ["SOON", "OpenAIChat", "arguments_text", "openai_error"]

SOON = {"retry_after_ms": "1", "retry_after": "0"}
"""Headers that ask the SDK to try again at once."""

_ROLES: Mapping[str, Any] = {
    "system": "system", "developer": "system", "user": "user", "assistant": "agent"
}  # fmt: skip
_ERRORS: Mapping[Failure, tuple[int, str, str | int | None, str]] = {
    "rate_limit": (429, "requests", "rate_limit_exceeded", "Rate limit reached, try again in 1ms."),
    "server": (500, "server_error", None, "The server had an error."),
    "payment": (402, "billing", 402, "Insufficient credits."),
    "auth": (401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    "context": (
        400,
        "invalid_request_error",
        "context_length_exceeded",
        "This model's maximum context length is 8192 tokens. However, your messages resulted in "
        "9001 tokens. Please reduce the length of the messages.",
    ),
}


class OpenAIChat:
    """Chat completions; reasoning is a field of the message."""

    def read(self, path: str, body: Mapping[str, Any]) -> Asked:
        """Return what a request asks."""
        messages: list[Message] = []
        for item in body["messages"]:
            if item["role"] == "tool":
                result = Result(item["tool_call_id"], _text(item["content"]))
                if messages[-1].role == "tool":
                    result_list = (*messages.pop().results, result)
                else:
                    result_list = (result,)
                messages.append(Message("tool", results=result_list))
            else:
                messages.append(_message(item))
        tools = tuple(_offered(tool["function"]) for tool in body.get("tools") or ())
        wanted = body.get("response_format") or {}
        schema = wanted.get("json_schema", {}).get("schema")
        return Asked(body["model"], tuple(messages), tools, schema)

    def write(self, body: Mapping[str, Any], asked: Asked, reply: Reply) -> Answer:
        """Return the answer to a request."""
        message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
        if reply.reasoning:
            message["reasoning_content"] = reply.reasoning
        if reply.calls:
            message["tool_calls"] = [
                {
                    "id": f"call_{asked.calls_so_far + index}",
                    "type": "function",
                    "function": {"name": call.name, "arguments": arguments_text(call)},
                }
                for index, call in enumerate(reply.calls)
            ]
        reason = "length" if reply.is_cut else "tool_calls" if reply.calls else "stop"
        return Answer.of(
            {
                "id": f"chatcmpl-{asked.replies_so_far}",
                "object": "chat.completion",
                "created": 1,
                "model": asked.model,
                "choices": [{"index": 0, "message": message, "finish_reason": reason}],
                "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
            }
        )

    def fail(self, failure: Failure) -> Answer:
        """Return the provider's refusal."""
        return openai_error(*_ERRORS[failure])


def openai_error(status: int, kind: str, code: str | int | None, message: str) -> Answer:
    """Return an error in OpenAI's envelope."""
    error = {"message": message, "type": kind, "param": None, "code": code}
    return Answer.of({"error": error}, status, **SOON)


def arguments_text(call: Call) -> str:
    """Return a call's arguments as a model writes them; a broken call's have a bare word."""
    text = json.dumps(call.arguments)
    return "{oops " + text.removeprefix("{") if call.is_broken else text


def _message(item: Mapping[str, Any]) -> Message:
    calls = tuple(
        Call(
            call["function"]["name"],
            json.loads(call["function"]["arguments"]),
            call["id"],
        )
        for call in item.get("tool_calls") or ()
    )
    proof = str(item.get("reasoning_content") or "")
    return Message(_ROLES[item["role"]], _text(item.get("content")).strip(), calls, proof=proof)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part["text"] for part in content)
    return content or ""


def _offered(function: Mapping[str, Any]) -> Offered:
    return Offered(function["name"], function["description"], function["parameters"])
