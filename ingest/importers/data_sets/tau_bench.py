"""tau-bench trajectories: runs of a tool-using agent with a user, one session a run.

System messages are configuration, not something lived through, so they are skipped. `info` is
skipped too: it holds the expected actions, made from the answers' side. An assistant message that
only calls tools is no event; its arguments go with the results. Runs carry no times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ....core.errors import InvalidInput
from ....core.events import EventKind
from ....core.types import Json
from ..import_record import (
    EMPTY,
    ImportFormat,
    ImportLimits,
    ImportRecord,
    ImportSource,
    accept_event,
    json_type,
    label,
    parse_json,
    reject,
    skip,
)
from ..json_pieces import parse_objects, values

_ERROR = re.compile(r"Error\b")
#: Fields of a message that become parts of the event; all others are kept as metadata.
_USED = frozenset({"role", "content", "tool_calls", "tool_call_id", "name"})


@dataclass(frozen=True, slots=True)
class _TauBenchCall:
    """A tool call that waits for its result."""

    where: str
    id: str
    name: str
    args: Json


@dataclass(frozen=True, slots=True)
class _TauBenchRun:
    """One run while it is read."""

    task: str
    trial: str
    reward: Json
    waiting: list[_TauBenchCall] = field(default_factory=list)


def read(source: ImportSource, limits: ImportLimits) -> Iterator[ImportRecord]:
    """Yield one record a message of a user, an assistant or a tool, run by run."""
    for item in parse_objects(values(source, limits.document_bytes_max)):
        if isinstance(item, ImportRecord):
            yield item
        else:
            yield from _run(source.name, *item)


def _run(name: str, where: str, fields: Mapping[str, Json]) -> Iterator[ImportRecord]:
    try:
        run = _TauBenchRun(label(fields, "task_id"), label(fields, "trial"), fields.get("reward"))
        messages = fields.get("traj")
        if not isinstance(messages, list):
            raise InvalidInput(f"traj is {json_type(messages)}: a list of messages is needed")
    except InvalidInput as error:
        yield reject(where, str(error))
        return
    for index, message in enumerate(messages):
        place = f"{name} {run.task}/{run.trial}/{index}"
        if _says_nothing(message):
            yield skip(place, EMPTY)
            continue
        try:
            event = _event(message, run, index, place)
        except InvalidInput as error:
            yield reject(place, str(error))
        else:
            if event is not None:
                yield accept_event(place, event)
    for call in run.waiting:
        yield reject(call.where, f"tool call {call.id!r} of {call.name} has no result: left out")


def _event(message: Json, run: _TauBenchRun, index: int, where: str) -> dict[str, Json] | None:
    """Return the fields of the event, or None for a message that is none of its own."""
    if not isinstance(message, dict):
        raise InvalidInput(f"is {json_type(message)}: a message with role and content is needed")
    role = message.get("role")
    if role == "system":
        return None
    if role == "tool":
        event_fields = _result(message, run)
    elif role == "user":
        event_fields = {"kind": EventKind.USER_MESSAGE.value, "payload": {"text": _text(message)}}
    elif role == "assistant":
        calls = _calls(message, where)
        run.waiting.extend(calls)
        if calls and _silent(message.get("content")):
            return None
        event_fields = {
            "kind": EventKind.ASSISTANT_MESSAGE.value,
            "payload": {"text": _text(message)},
        }
    else:
        given = repr(role[:80]) if isinstance(role, str) else json_type(role)
        raise InvalidInput(f"role is {given}: system, user, assistant or tool is needed")
    metadata = {name: value for name, value in message.items() if name not in _USED}
    about = {"task_id": run.task, "trial": run.trial, "reward": run.reward}
    return {
        **event_fields,
        "id": f"{run.task}/{run.trial}/{index}",
        "session": {"key": f"task-{run.task}-trial-{run.trial}"},
        "metadata": {"tau_bench": {**about, **({"message": metadata} if metadata else {})}},
    }


def _says_nothing(message: Json) -> bool:
    if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
        return False
    return _silent(message.get("content")) and not message.get("tool_calls")


def _silent(content: Json) -> bool:
    return content is None or (isinstance(content, str) and not content.strip())


def _text(message: Mapping[str, Json]) -> str:
    content = message.get("content")
    if not isinstance(content, str):
        raise InvalidInput(f"content is {json_type(content)}: text is needed")
    return content


def _calls(message: Mapping[str, Json], where: str) -> list[_TauBenchCall]:
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise InvalidInput(f"tool_calls is {json_type(calls)}: a list of calls is needed")
    return [_call(call, where) for call in calls]


def _call(call: Json, where: str) -> _TauBenchCall:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        raise InvalidInput("a tool call is not an object with id and function: mend it")
    arguments = function.get("arguments")
    fields = _object(arguments)
    args = arguments if fields is None else fields
    return _TauBenchCall(where, label(call, "id"), label(function, "name"), args)


def _object(text: Json) -> dict[str, Json] | None:
    """Return the object that `text` is or spells out, or None."""
    try:
        value = parse_json(text) if isinstance(text, str) else text
    except InvalidInput:
        return None
    return value if isinstance(value, dict) else None


def _result(message: Mapping[str, Json], run: _TauBenchRun) -> dict[str, Json]:
    if "content" not in message:
        raise InvalidInput("content is missing: the tool's result is needed")
    content, call_id = message["content"], message.get("tool_call_id")
    at = next((at for at, call in enumerate(run.waiting) if call.id == call_id), None)
    call = None if at is None else run.waiting.pop(at)
    failed = bool((_object(content) or {}).get("error")) or (
        isinstance(content, str) and _ERROR.match(content) is not None
    )
    return {
        "kind": EventKind.TOOL_RESULT.value,
        "tool": {
            "name": message.get("name") or (call.name if call else None),
            "isError": failed,
            **({} if call_id is None else {"callId": call_id}),
        },
        "payload": {**({"args": call.args} if call else {}), "result": content},
    }


FORMAT = ImportFormat(
    name="tau-bench",
    description="tau-bench trajectories: a JSON array of runs with task_id, trial and traj",
    recognises=lambda keys: "traj" in keys or {"task_id", "reward"} <= keys,
    read=read,
)
