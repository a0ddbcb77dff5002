"""Conversations as data sets keep them: LoCoMo, ShareGPT, SWE-agent, tau-bench."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile

from ...core.errors import InvalidInput
from ...core.events import EventKind
from ...core.types import Json
from .conversation_reader import (
    ConversationKeys,
    ConversationReader,
    MessagePosition,
    numbered,
    stem,
    unused_fields,
)
from .import_options import ASSISTANT, SYSTEM, TOOL, USER, role_of
from .import_record import (
    LABEL_CHARS_MAX,
    ImportRecord,
    ImportSource,
    accept_event,
    first_label,
    json_type,
    label,
    list_in,
    refusing,
    reject,
)
from .json_pieces import read_objects, values
from .message_content import ToolCall, ToolResult, parse_arguments, read_call
from .openai_messages import read_message
from .timestamps import find_time, parse_timestamp

# LoCoMo conversations: two people over many dated sessions, with photos they share.
#
# Imported is what the two lived through: the turns. Questions and annotations (`qa`, `observation`,
# `event_summary`, `session_summary`) are made from the answers' side and are never imported. Both
# speakers are people, so every turn is a user message of its speaker. Times are taken as UTC, and
# all turns of a session carry the session's time.

_SESSION = re.compile(r"session_([0-9]{1,9})")
_URI_CHARS_MAX = 4096
#: Fields of a turn that become parts of the event; all others are kept as metadata, unsearched.
_LOCOMO_USED = frozenset({"speaker", "dia_id", "text", "img_url", "blip_caption"})


def read_locomo(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a turn, session by session in numeric order; `space` is the sample's id."""

    def read_sample(_where: str, sample: dict[str, Json], _: int) -> Iterator[ImportRecord]:
        space, conversation = label(sample, "sample_id"), sample.get("conversation")
        if not isinstance(conversation, dict):
            kind = json_type(conversation)
            raise InvalidInput(f"conversation is {kind}: an object with session_1 is needed")
        for key in sorted(filter(_SESSION.fullmatch, conversation), key=_number):
            yield from _session(f"{source.name} {space}", key, conversation, space)

    return read_objects(source, read_sample, values)


def _number(key: str) -> int:
    return int(key.removeprefix("session_"))


def _session(
    prefix: str, key: str, conversation: Mapping[str, Json], space: str
) -> Iterator[ImportRecord]:
    turns, time = conversation[key], conversation.get(f"{key}_date_time")
    if not isinstance(turns, list):
        yield reject(f"{prefix} {key}", f"is {json_type(turns)}: a list of turns is needed", space)
        return
    try:
        ts = None if time is None else _parse_time(time)
    except InvalidInput as error:
        # Taken in without their time, the turns would clash with themselves once it is mended.
        yield reject(
            f"{prefix} {key}_date_time", f"{error}; its {len(turns)} turns are refused", space
        )
        return
    for index, turn in enumerate(turns, start=1):
        name = turn.get("dia_id") if isinstance(turn, dict) else None
        is_label = isinstance(name, str) and name.isprintable() and len(name) <= LABEL_CHARS_MAX
        where = f"{prefix} {name}" if is_label else f"{prefix} {key} turn {index}"
        try:
            yield accept_event(where, _fields(turn, key, ts), space)
        except InvalidInput as error:
            yield reject(where, str(error), space)


def _parse_time(text: Json) -> str | None:
    given = text if isinstance(text, str) else json_type(text)
    clock, _, day = given.partition(" on ")
    try:
        return parse_timestamp(f"{day.strip()} {clock.strip()}")
    except InvalidInput:
        raise InvalidInput(
            f"{given[:80]!r} is not a time: write it like '1:56 pm on 8 May, 2023'"
        ) from None


def _fields(turn: Json, session: str, ts: str | None) -> dict[str, Json]:
    if not isinstance(turn, dict):
        raise InvalidInput(f"is {json_type(turn)}: a turn with speaker, dia_id and text is needed")
    for field in ("dia_id", "speaker", "text"):
        if not isinstance(turn.get(field), str):
            raise InvalidInput(f"{field} is {json_type(turn.get(field))}: text is needed")
    metadata = {field: value for field, value in turn.items() if field not in _LOCOMO_USED}
    shared, unused = _photo(turn)
    if not turn["text"].strip() and not shared:
        raise InvalidInput("text is empty and no photo is shared: nothing was said")
    if unused:
        metadata["img_url"] = unused
    return {
        "kind": EventKind.USER_MESSAGE.value,
        "id": turn["dia_id"],
        "session": {"key": session},
        "person": turn["speaker"],
        "payload": {"text": turn["text"]},
        **({"ts": ts} if ts else {}),
        **({"artifacts": [shared]} if shared else {}),
        **({"metadata": {"locomo": metadata}} if metadata else {}),
    }


def _photo(turn: Mapping[str, Json]) -> tuple[dict[str, Json] | None, list[Json]]:
    """Return the photo of a turn, if it shares one, and the addresses that could not stand in it.

    An address too long for a reference (an image inlined as `data:`) must not cost the turn.
    """
    given, caption = turn.get("img_url"), turn.get("blip_caption")
    urls = given if isinstance(given, list) else [given] if given else []
    if not urls and not caption:
        return None, []
    usable = bool(urls) and isinstance(urls[0], str) and 0 < len(urls[0]) <= _URI_CHARS_MAX
    photo = {
        "kind": "image",
        "uri": urls[0] if usable else f"locomo:{turn['dia_id']}",
        "description": caption or "",
    }
    return photo, urls[1:] if usable else urls


# ShareGPT: conversations whose turns say from whom they are, and their value.
#
# System turns are set aside. A `function_call`, or a call marked in what the assistant said, waits
# for its `observation` or `tool` turn; where the value of a call is no object with a name, it is
# what the assistant said.

_LISTS = ("conversations", "conversation", "items")
_NAMES = ("id", "conversation_id")
_CALLS = frozenset({"function_call", "tool_call"})
_RESULTS = frozenset({"function_response", "observation"})
#: How functions are called, and answer, within what is said: a convention of many data sets.
_MARKED_CALL = re.compile(r"<tool_call>\s*+(\{.*?\})\s*</tool_call>", re.DOTALL)
_MARKED_RESULT = re.compile(r"<tool_response>\s*+(.*?)\s*</tool_response>", re.DOTALL)
#: The name of a tool whose call names none.
_TOOL = "tool"


def read_sharegpt(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a turn, by the id "<conversation>/<index>"."""
    name, keys = stem(source), ConversationKeys()

    def read_object(where: str, fields: dict[str, Json], number: int) -> Iterator[ImportRecord]:
        if (turns := list_in(fields, *_LISTS)) is None:
            raise InvalidInput("holds no list of conversations: one is needed")
        key = first_label(fields, *_NAMES)
        fallback = numbered(name, number)
        key = fallback if key is None else f"{name}/{key}" if key.isdecimal() else key
        conversation = ConversationReader("sharegpt", keys.key_of(key, turns))
        conversation.set_metadata(unused_fields(fields, frozenset({*_LISTS, *_NAMES, "tools"})))
        conversation.ts, _ = find_time(fields)
        pending: list[str] = []
        for index, turn in enumerate(turns):
            place = MessagePosition(f"{where} turn {index + 1}", f"{conversation.key}/{index}")
            yield from refusing(place.where, _turn(pending, conversation, place, turn))
        yield from conversation.finish()

    return read_objects(source, read_object)


def _turn(
    pending: list[str], conversation: ConversationReader, place: MessagePosition, turn: Json
) -> Iterator[ImportRecord]:
    if not isinstance(turn, dict):
        raise InvalidInput(f"is {json_type(turn)}: a turn with from and value is needed")
    word = first_label(turn, "from", "role")
    value = turn.get("value", turn.get("content"))
    place = MessagePosition(place.where, place.id, find_time(turn)[0])
    role = role_of(word or "")
    if role == ASSISTANT or word in _CALLS:
        value, calls = _without_calls(value, is_call=word in _CALLS)
        pending.extend(str(call["name"]) for call in calls)
        for call in calls:
            conversation.add_call(read_call(call, place.where))
        if value or not calls:
            yield from conversation.turn(place, ASSISTANT, value)
    elif role == TOOL or word in _RESULTS:
        for number, result in enumerate(_results(value)):
            name = first_label(turn, "name") or (pending.pop(0) if pending else _TOOL)
            yield from conversation.result(place.numbered(number), ToolResult(result, None, name))
    elif role in (SYSTEM, USER):
        yield from conversation.turn(place, role, value, first_label(turn, "name"))
    elif word:
        yield from conversation.turn(place, USER, value, word)
    else:
        raise InvalidInput("from is missing: human, gpt, system or a name is needed")


def _sharegpt_call(value: Json) -> Mapping[str, Json] | None:
    """Return the call that a value spells out, if it names a tool."""
    call = parse_arguments(value)
    return call if isinstance(call, dict) and isinstance(call.get("name"), str) else None


def _without_calls(value: Json, *, is_call: bool) -> tuple[Json, list[Mapping[str, Json]]]:
    """Return what an assistant said without the calls in it, and the calls."""
    if is_call and (whole := _sharegpt_call(value)):
        return None, [whole]
    calls: list[Mapping[str, Json]] = []

    def take(match: re.Match[str]) -> str:
        if call := _sharegpt_call(match[1]) or _sharegpt_call(_literal(match[1])):
            calls.append(call)
        return "" if call else match[0]

    if isinstance(value, str) and "<tool_call>" in value:
        value = _MARKED_CALL.sub(take, value).strip()
    return value, calls


def _literal(text: str) -> Json:
    """Return what text spells out as Python writes it, or None."""
    try:
        value: Json = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return value


def _results(value: Json) -> list[Json]:
    """Return the results that are marked in a turn of a tool, or its whole value."""
    marked = _MARKED_RESULT.findall(value) if isinstance(value, str) else []
    return marked or [value]


# SWE-agent trajectories: one run over an issue, with its steps of words, action and observation.
#
# A step gives the words of the agent, and the result of its action. `thought` is what the agent
# said around the action, not hidden reasoning, which stands in `thinking_blocks` and is left out.
# The task is taken from the history, which else repeats the steps; a file with nothing but a
# history, such as a demonstration, is read by it. Left out are system prompts and demonstrations,
# configuration (`replay_config`) and the inputs of the model (`query`, `messages`). Runs carry no
# times.

#: Where an action names no tool, it is a line for the shell that SWE-agent runs.
_SHELL = "bash"
_READ_OF_STEP = frozenset(
    {"action", "observation", "response", "thought", "query", "messages", "thinking_blocks"}
)
_READ_OF_RUN = frozenset({"trajectory", "history", "replay_config", "attempts"})


def read_swe_agent(source: ImportSource) -> Iterator[ImportRecord]:
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
    text, call = step.get("thought", step.get("response")), _swe_agent_call(step, place, actions)
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


def _swe_agent_call(
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


# tau-bench trajectories: runs of a tool-using agent with a user, one session a run.
#
# System messages are configuration, not something lived through, so they are skipped. `info` is
# skipped too: it holds the expected actions, made from the answers' side. An assistant message that
# only calls tools is no event; its arguments go with the results. Runs carry no times.

#: Fields of a message that become parts of the event; all others are kept as metadata.
_TAU_BENCH_USED = frozenset({"role", "content", "tool_calls", "tool_call_id", "name"})


def read_tau_bench(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield one record a message of a user, an assistant or a tool, run by run."""

    def read_run(_where: str, run: dict[str, Json], _number: int) -> Iterator[ImportRecord]:
        task, trial, messages = label(run, "task_id"), label(run, "trial"), run.get("traj")
        if not isinstance(messages, list):
            raise InvalidInput(f"traj is {json_type(messages)}: a list of messages is needed")
        conversation = ConversationReader("tau_bench", f"task-{task}-trial-{trial}")
        about = {"task_id": task, "trial": trial, "reward": run.get("reward")}
        for index, message in enumerate(messages):
            id = f"{task}/{trial}/{index}"
            where = f"{source.name} {id}"
            yield from refusing(where, _message(conversation, where, id, about, message))
        yield from conversation.finish()

    return read_objects(source, read_run, values)


def _message(
    conversation: ConversationReader, where: str, id: str, about: Mapping[str, Json], message: Json
) -> Iterator[ImportRecord]:
    if not isinstance(message, dict):
        raise InvalidInput(f"is {json_type(message)}: a message with role and content is needed")
    others = {name: value for name, value in message.items() if name not in _TAU_BENCH_USED}
    used = {name: value for name, value in message.items() if name in _TAU_BENCH_USED}
    if message.get("role") != SYSTEM:
        known = {**about, **({"message": others} if others else {}), **used}
        yield from read_message(conversation, where, id, known)
