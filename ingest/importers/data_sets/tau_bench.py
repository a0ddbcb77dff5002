"""tau-bench trajectories: runs of a tool-using agent with a user, one session a run.

System messages are configuration, not something lived through, so they are skipped. `info` is
skipped too: it holds the expected actions, made from the answers' side. An assistant message that
only calls tools is no event; its arguments go with the results. Runs carry no times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....core.errors import InvalidInput
from ....core.types import Json
from ..conversation_reader import ConversationReader, MessagePosition, first_label
from ..import_options import SYSTEM
from ..import_record import (
    ImportFormat,
    ImportRecord,
    ImportSource,
    json_type,
    label,
    refusing,
)
from ..json_pieces import read_objects, values
from ..message_content import ToolResult

#: Fields of a message that become parts of the event; all others are kept as metadata.
_USED = frozenset({"role", "content", "tool_calls", "tool_call_id", "name"})


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message of a user, an assistant or a tool, run by run."""

    def read_run(_where: str, run: dict[str, Json], _number: int) -> Iterator[ImportRecord]:
        task, trial, messages = label(run, "task_id"), label(run, "trial"), run.get("traj")
        if not isinstance(messages, list):
            raise InvalidInput(f"traj is {json_type(messages)}: a list of messages is needed")
        conversation = ConversationReader("tau_bench", f"task-{task}-trial-{trial}")
        about = {"task_id": task, "trial": trial, "reward": run.get("reward")}
        for index, message in enumerate(messages):
            id = f"{task}/{trial}/{index}"
            place = MessagePosition(f"{source.name} {id}", id, None, about)
            yield from refusing(place.where, _message(conversation, place, message))
        yield from conversation.finish()

    return read_objects(source, read_run, values)


def _message(
    conversation: ConversationReader, place: MessagePosition, message: Json
) -> Iterator[ImportRecord]:
    if not isinstance(message, dict):
        raise InvalidInput(f"is {json_type(message)}: a message with role and content is needed")
    role, content, others = (
        message.get("role"),
        message.get("content"),
        {n: v for n, v in message.items() if n not in _USED},
    )
    if others:
        place = replace(place, metadata={**place.metadata, "message": others})
    if role == "tool":
        if "content" not in message:
            raise InvalidInput("content is missing: the tool's result is needed")
        result = ToolResult(
            content, first_label(message, "tool_call_id"), first_label(message, "name")
        )
        yield from conversation.result(place, result)
    elif role != SYSTEM:
        yield from conversation.turn(place, role, content, calls=message.get("tool_calls"))


FORMAT = ImportFormat(
    name="tau-bench",
    description="tau-bench trajectories: a JSON array of runs with task_id, trial and traj",
    recognises=lambda keys: "traj" in keys or {"task_id", "reward"} <= keys,
    read=read,
)
