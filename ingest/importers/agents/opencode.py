"""OpenCode: exported sessions, whose messages have what is known of them apart from their parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....core.types import Json
from .message_lists import MessageForm, call, form_format, result


def _turns(message: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    info, parts = message.get("info"), message.get("parts")
    role = info.get("role") if isinstance(info, dict) else None
    content: list[Json] = []
    for block in parts if isinstance(parts, list) else []:
        if not isinstance(block, dict):
            continue
        state = block.get("state")
        if block.get("type") == "tool" and isinstance(state, dict):
            id, name, status = block.get("callID"), block.get("tool"), state.get("status")
            calls = [call(id, name, state.get("input"))]
            yield {"role": "assistant", "content": content, "tool_calls": calls}
            content = []
            if status in ("completed", "error"):
                answer = state.get("output", state.get("error"))
                yield result(id, name, answer, failed=status == "error")
        elif block.get("type") == "file":
            content.append({**block, "mimeType": block.get("mime")})
        elif not block.get("synthetic") and block.get("type") == "text":
            content.append({"type": "text", "text": block.get("text")})
        elif block.get("type") == "reasoning":
            content.append({"type": "reasoning", "reasoning": block.get("text")})
    if content:
        yield {"role": role, "content": content}


FORMAT = form_format(
    MessageForm("opencode", ("messages",), ("sessionID", "id"), _turns),
    "OpenCode: exported sessions",
    lambda keys: {"info.id", "messages.info", "messages.parts"} <= keys,
)
