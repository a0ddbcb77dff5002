"""Messages of Vercel's AI SDK, as its chats keep them: an id, a role and parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....core.types import Json
from .message_lists import MessageForm, call, form_format, result


def _turns(message: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    role, parts = message.get("role"), message.get("parts")
    if not isinstance(parts, list):
        yield {"role": role, "content": message.get("content")}
        return
    content: list[Json] = []
    for block in parts:
        invocation = _invocation(block)
        if invocation is None:
            content += _content(block)
            continue
        id, name, args = (invocation.get(key) for key in ("toolCallId", "toolName", "input"))
        yield {"role": "assistant", "content": content, "tool_calls": [call(id, name, args)]}
        content = []
        state = invocation.get("state")
        if state in ("output-error", "error"):
            yield result(id, name, invocation.get("errorText"), failed=True)
        elif "output" in invocation:
            yield result(id, name, invocation["output"])
    if content or not parts:
        yield {"role": role, "content": content}


def _invocation(block: Json) -> dict[str, Json] | None:
    """Return a call of a tool with its result, in whichever version's form it is."""
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or not isinstance(kind, str):
        return None
    older = block.get("toolInvocation")
    if kind == "tool-invocation" and isinstance(older, dict):
        renamed = {"args": "input", "result": "output"}
        return {renamed.get(str(name), str(name)): value for name, value in older.items()}
    if kind == "dynamic-tool":
        return block
    return {"toolName": kind[5:], **block} if kind.startswith("tool-") else None


def _content(block: Json) -> list[Json]:
    """Return a part as all formats write it; steps and data of the page are none."""
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str) or not isinstance(block, dict):
        return [block]
    if kind == "reasoning":
        return [{"type": "reasoning", "reasoning": block.get("text", block.get("reasoning"))}]
    if kind == "step-start" or kind.startswith(("data-", "source")):
        return []
    names = {"type", "text", "url", "mediaType", "filename", "data", "mimeType"}
    return [{name: value for name, value in block.items() if name in names}]


FORMAT = form_format(
    MessageForm("vercel-ai", ("messages",), ("chatId", "id"), _turns),
    "Vercel AI: UI messages, each with a role and parts",
    lambda keys: (
        {"role", "parts", "parts.type"} <= keys or {"messages.role", "messages.parts"} <= keys
    ),
)
