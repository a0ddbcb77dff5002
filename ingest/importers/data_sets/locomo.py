"""LoCoMo conversations: two people over many dated sessions, with photos they share.

Imported is what the two lived through: the turns. Questions and annotations (`qa`, `observation`,
`event_summary`, `session_summary`) are made from the answers' side and are never imported. Both
speakers are people, so every turn is a user message of its speaker. Times are taken as UTC, and
all turns of a session carry the session's time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from ....core.errors import InvalidInput
from ....core.events import EventKind
from ....core.time import MONTHS
from ....core.types import Json
from ..import_record import (
    LABEL_CHARS_MAX,
    ImportFormat,
    ImportRecord,
    ImportSource,
    accept_event,
    json_type,
    label,
    reject,
)
from ..json_pieces import read_objects, values

_SESSION = re.compile(r"session_([0-9]{1,9})")
_TIME = re.compile(
    r"\s*(?P<hour>1[0-2]|0?[1-9]):(?P<minute>[0-5][0-9])\s*(?P<half>[ap])m\s+on\s+"
    r"(?P<day>[0-9]{1,2})\s+(?P<month>[a-z]+),?\s+(?P<year>[0-9]{4})\s*",
    re.IGNORECASE | re.ASCII,
)
_URI_CHARS_MAX = 4096
#: Fields of a turn that become parts of the event; all others are kept as metadata, unsearched.
_USED = frozenset({"speaker", "dia_id", "text", "img_url", "blip_caption"})


def read(source: ImportSource) -> Iterator[ImportRecord]:
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


def _parse_time(text: Json) -> str:
    given = text if isinstance(text, str) else json_type(text)
    problem = InvalidInput(f"{given[:80]!r} is not a time: write it like '1:56 pm on 8 May, 2023'")
    match = _TIME.fullmatch(given)
    if match is None or match["month"].lower() not in MONTHS:
        raise problem
    hour = int(match["hour"]) % 12 + (12 if match["half"] in "pP" else 0)
    month = MONTHS.index(match["month"].lower()) + 1
    try:
        day = datetime(int(match["year"]), month, int(match["day"]), tzinfo=UTC)
    except ValueError:
        raise problem from None
    return day.replace(hour=hour, minute=int(match["minute"])).isoformat()


def _fields(turn: Json, session: str, ts: str | None) -> dict[str, Json]:
    if not isinstance(turn, dict):
        raise InvalidInput(f"is {json_type(turn)}: a turn with speaker, dia_id and text is needed")
    for field in ("dia_id", "speaker", "text"):
        if not isinstance(turn.get(field), str):
            raise InvalidInput(f"{field} is {json_type(turn.get(field))}: text is needed")
    metadata = {field: value for field, value in turn.items() if field not in _USED}
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


FORMAT = ImportFormat(
    name="locomo",
    description="LoCoMo conversations: a JSON array of samples with dated sessions of turns",
    recognises=lambda keys: (
        "qa" in keys
        or any(key.startswith(("conversation.speaker_", "conversation.session_")) for key in keys)
    ),
    read=read,
)
