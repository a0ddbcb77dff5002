"""SWE-agent trajectories: one run over an issue, with its steps of words, action and observation.

A step gives the words of the agent, and the result of its action. `thought` is what the agent said
around the action, not hidden reasoning, which stands in `thinking_blocks` and is left out. The task
is taken from the history, which else repeats the steps; a file with nothing but a history, such as
a demonstration, is read by it. Left out are system prompts and demonstrations, configuration
(`replay_config`) and the inputs of the model (`query`, `messages`). Runs carry no times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile

from ....core.errors import InvalidInput
from ....core.events import EventKind
from ....core.types import Json
from ..conversation_reader import (
    ConversationReader,
    MessagePosition,
    numbered,
    stem,
    unused_fields,
)
from ..import_options import ASSISTANT, SYSTEM, USER
from ..import_record import (
    ImportFormat,
    ImportRecord,
    ImportSource,
    json_type,
    list_in,
    refusing,
    reject,
)
from ..json_pieces import read_objects, values
from ..message_content import ToolCall, ToolResult, read_call

#: Where an action names no tool, it is a line for the shell that SWE-agent runs.
_SHELL = "bash"
_READ_OF_STEP = frozenset(
    {"action", "observation", "response", "thought", "query", "messages", "thinking_blocks"}
)
_READ_OF_RUN = frozenset({"trajectory", "history", "replay_config", "attempts"})


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield the task, then for each step what was said and what came back.

    The session is named by the file; its steps are "<session>/<index>" and "<session>/<index>/
    result". Each attempt of a run that was tried again is a session, "<session>/attempt-<number>".
    """
    name = stem(source)

    def read_run(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        key = numbered(name, number)
        attempts = list_in(fields, "attempts")
        if not attempts:
            yield from _run(where, fields, key)
        for index, attempt in enumerate(attempts or (), start=1):
            at = f"{where} attempt {index}"
            yield from refusing(at, _run(at, attempt, f"{key}/attempt-{index}"))

    return read_objects(source, read_run, values)


def _run(where: str, fields: Json, key: str) -> Iterator[ImportRecord]:
    if not isinstance(fields, dict):
        raise InvalidInput(f"is {json_type(fields)}: an object with trajectory is needed")
    history = _history(fields)
    steps = fields["trajectory"] if "trajectory" in fields else _steps(history)
    if not isinstance(steps, list):
        raise InvalidInput(f"trajectory is {json_type(steps)}: a list of steps is needed")
    conversation = ConversationReader("swe_agent", key)
    conversation.set_metadata(unused_fields(fields, _READ_OF_RUN))
    for number, item in enumerate(fields.get("history", []), start=1):
        if not isinstance(item, dict):
            yield reject(f"{where} history {number}", f"is {json_type(item)}: no message")
    yield from _task(conversation, where, history)
    actions: dict[str, list[Json]] = {}
    for item in history:
        if isinstance(item.get("action"), str):
            actions.setdefault(item["action"], []).append(item)
    for index, step in enumerate(steps):
        place = MessagePosition(f"{where} step {index + 1}", f"{key}/{index}")
        yield from refusing(place.where, _step(conversation, place, step, actions))
    yield from conversation.finish()


def _history(fields: Mapping[str, Json]) -> list[dict[str, Json]]:
    """Return the history of a run, without demonstrations."""
    history = fields.get("history", [])
    if not isinstance(history, list):
        raise InvalidInput(f"history is {json_type(history)}: a list of messages is needed")
    items = (item for item in history if isinstance(item, dict))
    return [item for item in items if item.get("is_demo") is not True]


def _steps(history: list[dict[str, Json]]) -> list[Json]:
    """Return the steps that a history tells: an action, and the message that comes back."""
    steps: list[dict[str, Json]] = []
    for item in history:
        if item.get("role") == "assistant":
            words = item.get("thought", item.get("content"))
            steps.append({"action": item.get("action") or "", "thought": words})
        elif steps:
            if "observation" in steps[-1]:
                steps.append({"action": "", "thought": ""})
            steps[-1]["observation"] = item.get("content")
    return list(steps)


def _task(
    conversation: ConversationReader, where: str, history: list[dict[str, Json]]
) -> Iterator[ImportRecord]:
    """Yield what the agent was told before its first action."""
    before = takewhile(lambda item: item.get("role") != "assistant", history)
    for number, item in enumerate(before):
        place = MessagePosition(
            f"{where} history {number + 1}", f"{conversation.key}/task/{number}"
        )
        role = USER if item.get("role") == USER else SYSTEM
        yield from conversation.turn(place, role, item.get("content"))


def _step(
    conversation: ConversationReader,
    place: MessagePosition,
    step: Json,
    actions: dict[str, list[Json]],
) -> Iterator[ImportRecord]:
    if not isinstance(step, dict):
        raise InvalidInput(f"is {json_type(step)}: a step with an action is needed")
    text, call = step.get("thought", step.get("response")), _call(step, place, actions)
    metadata = unused_fields(step, _READ_OF_STEP)
    spoke = not _blank(text)
    if spoke:
        own = replace(place, metadata={} if call else metadata)
        yield from conversation.turn(own, ASSISTANT, text)
    if call:
        conversation.add_call(call)
        if step.get("observation") is not None:
            result = MessagePosition(place.where, f"{place.id}/result", None, metadata)
            yield from conversation.result(result, ToolResult(step["observation"], call.id))
    elif not spoke:
        conversation.set_aside(place, EventKind.ASSISTANT_MESSAGE, step.get("thinking_blocks"))


def _call(
    step: Mapping[str, Json], place: MessagePosition, actions: dict[str, list[Json]]
) -> ToolCall | None:
    """Return the call of a step as the history has it, or else as a line for the shell."""
    action = step.get("action")
    if not (action is None or isinstance(action, str)):
        raise InvalidInput(f"action is {json_type(action)}: text is needed")
    items = actions.get(action or "")
    calls = items.pop(0).get("tool_calls") if items else None
    if _blank(action) and _blank(step.get("observation")):
        return None
    if isinstance(calls, list) and calls:
        try:
            call = read_call(calls[0], place.where)
            return replace(call, id=call.id or place.id)
        except InvalidInput:
            pass  # the line for the shell says the same
    return ToolCall(place.where, _SHELL, {"command": action or ""}, place.id)


def _blank(text: Json) -> bool:
    return text is None or (isinstance(text, str) and not text.strip())


FORMAT = ImportFormat(
    name="swe-agent",
    description="SWE-agent trajectories: an object with trajectory, history and info",
    recognises=lambda keys: (
        not keys.isdisjoint(
            {"trajectory.action", "trajectory.observation", "history.message_type", "attempts.info"}
        )
    ),
    read=read,
)
