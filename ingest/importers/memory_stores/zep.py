"""Zep: the messages of its sessions and threads, and the facts of its graph.

A message has its role, and the name of who has it. A fact is a note that holds from when Zep says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....core.types import Json
from ..agents.message_lists import MessageForm, form_format

_ROLES = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}


def _turns(message: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    if isinstance(message.get("fact"), str):
        since = {"timestamp": message["valid_at"]} if message.get("valid_at") else {}
        yield {"role": "note", "content": message["fact"], **since}
        return
    kind, role = message.get("role_type"), message.get("role")
    name = message.get("name") if kind is None else role
    shown = _ROLES.get(str(kind if kind is not None else role), "user")
    named = {"name": name} if isinstance(name, str) and shown == "user" and name != "user" else {}
    if shown == "tool":
        named = {"name": name or "tool"}
    yield {"role": shown, "content": message.get("content"), **named}


_MARKS = frozenset({"messages.role_type", "role_type", "facts.fact", "edges.fact", "fact"})
FORMAT = form_format(
    MessageForm("zep", ("messages", "facts", "edges"), ("thread_id", "session_id", "uuid"), _turns),
    "Zep: messages of sessions and threads, and facts",
    lambda keys: "episodes.content" not in keys and not keys.isdisjoint(_MARKS),
)
