"""The message history of pydantic-ai: requests and responses, each with its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....core.errors import InvalidInput
from ....core.types import Json
from ..import_record import json_type
from .message_lists import MessageForm, call, form_format, result


def _turns(message: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    parts = message.get("parts")
    if not isinstance(parts, list):
        raise InvalidInput(f"parts is {json_type(parts)}: a list of parts is needed")
    for block in parts:
        if not isinstance(block, dict):
            raise InvalidInput(f"a part is {json_type(block)}: an object is needed")
        when = {"timestamp": block["timestamp"]} if block.get("timestamp") else {}
        for turn in _turn(block):
            yield {**when, **turn}


def _turn(block: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    kind, content = str(block.get("part_kind")), block.get("content")
    id, name = block.get("tool_call_id"), block.get("tool_name")
    if kind == "system-prompt" or (kind == "retry-prompt" and not name):
        yield {"role": "system", "content": content if isinstance(content, str) else None}
    elif kind == "user-prompt":
        yield {"role": "user", "content": _given(content)}
    elif kind == "text":
        yield {"role": "assistant", "content": content}
    elif kind == "thinking":
        yield {"role": "assistant", "content": [{"type": "reasoning", "reasoning": content}]}
    elif kind.endswith("tool-call"):
        yield {
            "role": "assistant",
            "content": None,
            "tool_calls": [call(id, name, block.get("args"))],
        }
    elif kind.endswith("tool-return"):
        outcome = block.get("outcome")
        yield result(id, name, content, failed=None if outcome is None else outcome != "success")
    elif kind == "retry-prompt":
        yield result(id, name, content, failed=True)
    else:
        raise InvalidInput(f"part_kind is {kind[:80]!r}: it is not a known part")


def _given(content: Json) -> Json:
    """Return what a user gave: text, or texts, addresses and files."""
    if not isinstance(content, list):
        return content
    return [
        {"type": str(item.get("kind", "file")).removesuffix("-url"), **item}
        if isinstance(item, dict)
        else item
        for item in content
    ]


FORMAT = form_format(
    MessageForm("pydantic-ai", ("messages",), ("conversation_id", "run_id", "id"), _turns),
    "pydantic-ai: message history, requests and responses with parts",
    lambda keys: not keys.isdisjoint({"parts.part_kind", "messages.kind=request"}),
)
