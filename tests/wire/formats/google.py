"""Google's generateContent; a function call carries the signature of the thought before it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from tests.wire.neutral import Answer, Asked, Call, Failure, Message, Offered, Reply, Result

__all__ = ["Google"]

_ERRORS: Mapping[Failure, tuple[int, str, str]] = {
    "rate_limit": (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (check quota)."),
    "server": (500, "INTERNAL", "An internal error has occurred."),
    "payment": (402, "FAILED_PRECONDITION", "Billing is not enabled."),
    "auth": (401, "UNAUTHENTICATED", "API keys are not supported by this API."),
    "context": (
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
}
_MALFORMED = "Malformed function call: print(default_api.calendar())"
_ATTEMPT = "I attempted to call a function but produced"


class Google:
    """Contents of parts; a call that is no JSON never reaches the client as a call."""

    def read(self, path: str, body: Mapping[str, Any]) -> Asked:
        """Return what a request asks; the client's own retry of a malformed call is not a turn."""
        model = path.rpartition("/")[2].partition(":")[0]
        contents = list(body["contents"])
        has_stumbled = any(_parts_text(item).startswith(_ATTEMPT) for item in contents)
        while any(_parts_text(item).startswith(_ATTEMPT) for item in contents):
            del contents[-2:]
        system = Message("system", _parts_text(body.get("systemInstruction") or {}))
        tools = tuple(
            Offered(one["name"], one["description"], _schema(one))
            for tool in body.get("tools") or ()
            for one in tool.get("functionDeclarations") or ()
        )
        schema = (body.get("generationConfig") or {}).get("responseJsonSchema")
        messages = (system, *(_message(item) for item in contents))
        return Asked(model, messages, tools, schema, has_stumbled)

    def write(self, body: Mapping[str, Any], asked: Asked, reply: Reply) -> Answer:
        """Return the answer to a request."""
        if any(call.is_broken for call in reply.calls):
            broken = {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": _MALFORMED}
            return _answer(asked, broken)
        signature = base64.b64encode(f"thought-{asked.seat}".encode()).decode()
        parts: list[dict[str, Any]] = []
        if reply.reasoning:
            parts.append({"text": reply.reasoning, "thought": True})
        if reply.text:
            parts.append({"text": reply.text})
        for index, call in enumerate(reply.calls):
            identity = f"fn_{asked.calls_so_far + index}"
            one = {"id": identity, "name": call.name, "args": dict(call.arguments)}
            parts.append({"functionCall": one})
        if reply.reasoning:
            parts[1]["thoughtSignature"] = signature
        content = {"role": "model", "parts": parts}
        reason = "MAX_TOKENS" if reply.is_cut else "STOP"
        return _answer(asked, {"content": content, "finishReason": reason})

    def fail(self, failure: Failure) -> Answer:
        """Return the provider's refusal."""
        code, status, message = _ERRORS[failure]
        error = {"code": code, "message": message, "status": status}
        return Answer.of({"error": error}, code, retry_after="0")


def _answer(asked: Asked, candidate: Mapping[str, Any]) -> Answer:
    return Answer.of(
        {
            "candidates": [{"index": 0, **candidate}],
            "usageMetadata": {
                "promptTokenCount": 11,
                "candidatesTokenCount": 4,
                "thoughtsTokenCount": 3,
                "totalTokenCount": 18,
            },
            "modelVersion": asked.model,
            "responseId": f"resp-{asked.replies_so_far}",
        }
    )


def _schema(function: Mapping[str, Any]) -> Mapping[str, Any]:
    # The SDK writes this one key with underscores; the service takes both. Without parameters: none.
    schema: Mapping[str, Any] = function.get("parameters_json_schema") or {}
    return schema


def _message(item: Mapping[str, Any]) -> Message:
    parts = item["parts"]
    results = tuple(
        Result(one["id"], str(one["response"].get("output", one["response"].get("error"))))
        for one in (part["functionResponse"] for part in parts if "functionResponse" in part)
    )
    if results:
        return Message("tool", results=results)
    calls = tuple(
        Call(one["name"], one.get("args") or {}, one["id"])
        for one in (part["functionCall"] for part in parts if "functionCall" in part)
    )
    signatures = [part["thoughtSignature"] for part in parts if "thoughtSignature" in part]
    proof = base64.b64decode("".join(signatures)).decode()
    role: Any = "agent" if item["role"] == "model" else "user"
    return Message(role, _parts_text(item), calls, proof=proof)


def _parts_text(item: Mapping[str, Any]) -> str:
    parts = item.get("parts") or ()
    return "".join(part.get("text") or "" for part in parts if not part.get("thought"))
