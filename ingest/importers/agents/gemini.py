"""Gemini: sessions of its command line, and the contents that its API takes and gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....core.types import Json
from ..import_record import objects_in
from .message_lists import MessageForm, call, form_format, result

_ROLES = {"user": "user", "gemini": "assistant", "model": "assistant", "function": "tool"}


def _turns(message: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    role = _ROLES.get(str(message.get("type", message.get("role"))))
    if role is None:  # notices of the command line
        return
    content = message.get("content", message.get("message", message.get("parts")))
    texts: list[Json] = []
    for block in content if isinstance(content, list) else [content]:
        given, answer = _of(block, "functionCall"), _of(block, "functionResponse")
        if given is not None:
            id, name = given.get("id"), given.get("name")
            yield {
                "role": role,
                "content": texts,
                "tool_calls": [call(id, name, given.get("args"))],
            }
            texts = []
        elif answer is not None:
            yield _result(answer, None)
        else:
            texts += _texts(block)
    called = objects_in(message, "toolCalls")
    given_calls = [call(each.get("id"), each.get("name"), each.get("args")) for each in called]
    if texts or called or not content:
        yield {"role": role, "content": texts, **({"tool_calls": given_calls} if called else {})}
    for each in called:
        failed = each.get("status") in ("error", "cancelled") if each.get("status") else None
        inner = [_of(answer, "functionResponse") for answer in objects_in(each, "result")]
        answered = next(filter(None, inner), {"response": each.get("result")})
        yield _result({**answered, "id": each.get("id"), "name": each.get("name")}, failed)


def _of(block: Json, name: str) -> dict[str, Json] | None:
    inner = block.get(name) if isinstance(block, dict) else None
    return inner if isinstance(inner, dict) else None


def _result(answer: Mapping[str, Json], failed: bool | None) -> dict[str, Json]:
    """Return a result; its output stands alone where nothing else is given back."""
    response = answer.get("response")
    if isinstance(response, dict) and len(response) == 1 and "output" in response:
        response = response["output"]
    return result(answer.get("id"), answer.get("name"), response, failed=failed)


def _texts(block: Json) -> list[Json]:
    if isinstance(block, str):
        return [block] if block.strip() else []
    data = _of(block, "inlineData") or _of(block, "fileData")
    if data is not None:
        address = {"url": data["fileUri"]} if "fileUri" in data else {"data": data.get("data")}
        return [{"type": "file", "mimeType": data.get("mimeType"), **address}]
    if isinstance(block, dict) and isinstance(block.get("text"), str):
        kind = "reasoning" if block.get("thought") is True else "text"
        return [{"type": kind, kind: block["text"]}]
    return []


FORMAT = form_format(
    MessageForm("gemini", ("messages", "contents", "history"), ("sessionId",), _turns),
    "Gemini: sessions of its command line, and contents of its API",
    lambda keys: (
        ({"messageId", "sessionId", "message"} <= keys)
        or ({"sessionId", "projectHash"} <= keys)
        or not keys.isdisjoint({"type=gemini", "messages.type=gemini"})
        or (
            {"role", "parts"} <= keys and "parts.type" not in keys and "parts.part_kind" not in keys
        )
        or not keys.isdisjoint({"contents.parts", "history.parts"})
    ),
)
