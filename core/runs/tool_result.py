"""A tool's result, read by field before anything looks at it: streams, exit status, error, words.

Tools say in many shapes how they ended: a text, a JSON text, an object with an exit code, blocks of
content. This is the one reader of all of them. What no field says stays unknown: a text is read for
signs of failure elsewhere (`failure_signs`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..events import text_of
from ..types import Json
from .tool_calls import Event, is_result, leaves

#: A JSON text longer than this is no envelope, characters; objects in objects are read so deep.
_OBJECT_CHARS, _LEVELS_MAX = 20_000, 3
_EXIT_CODES = ("exit_code", "exitCode", "exitcode", "returncode", "return_code", "exit_status")
_HTTP_CODES = ("status", "status_code", "statusCode", "http_status", "code")
_HTTP_OK, _HTTP_ERRORS = range(200, 300), range(400, 600)
_GOOD = ("success", "ok", "succeeded")
_BAD = ("isError", "is_error", "interrupted", "timed_out", "timedOut")
_GOOD_WORDS = frozenset({"success", "succeeded", "ok"})
_BAD_WORDS = frozenset({"error", "failure", "fail"})
#: What an error's field holds where there was none.
_NO_ERROR = frozenset({"", "0", "none", "null", "false"})
_STDOUT, _STDERR = ("stdout", "output"), ("stderr",)
#: Objects that hold the rest of what an envelope says.
_INNER = ("metadata", "response")
#: What an edit replaces, and by what.
_OLD, _NEW = ("old", "old_string", "old_str"), ("new", "new_string", "new_str")
#: Blocks that are no words: what they hold is bytes, or a name of them.
_BINARY = frozenset({"image", "audio", "video", "file", "document", "input_image", "image_url"})


@dataclass(frozen=True, slots=True)
class ResultFields:
    """What a tool returned. `ok` is None where nothing in it says how it ended.

    `error` are the words of an error's own field; `others` all other words, in order; `is_text`
    says that there are no fields.
    """

    ok: bool | None = None
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    error: str = ""
    others: tuple[str, ...] = ()
    is_text: bool = False

    @property
    def texts(self) -> list[str]:
        """All words, those first that would say what went wrong."""
        return [text for text in (self.error, self.stderr, self.stdout, *self.others) if text]


def read_result(event: Event) -> ResultFields:
    """Read what the event of a tool's result holds."""
    result = (event.get("payload") or {}).get("result")
    fields = _envelope(result)
    read = ResultFields() if fields is None else _read(fields)
    says = read.ok is not None or read.stdout or read.stderr or read.error
    if isinstance(result, Mapping) or says:
        return read
    return ResultFields(others=tuple(_words(result)), is_text=True)


def shown_text(event: Event) -> str:
    """Return what an event says as people read it: see `text_of`.

    Of a call that is what it was given, an edit as `old → new`, and what came back by field.
    """
    payload = event["payload"]
    if not is_result(event) or isinstance(payload.get("text"), str):
        return text_of(event)
    result = read_result(event)
    rest = {name: payload[name] for name in sorted(payload) if name not in ("args", "result")}
    lines = [(event.get("tool") or {}).get("name", ""), *_given(payload.get("args"))]
    lines += [result.stdout, result.stderr, result.error]
    lines += [f"exit code {result.exit_code}"] * bool(result.exit_code)
    return "\n".join(line for line in (*lines, *result.others, *leaves(rest)) if line)


def edit_of(args: Json) -> tuple[str, str] | None:
    """Return what an edit replaces and by what; None for arguments that are no edit."""
    if not isinstance(args, Mapping):
        return None
    old = next((args[name] for name in _OLD if isinstance(args.get(name), str)), None)
    new = next((args[name] for name in _NEW if isinstance(args.get(name), str)), None)
    return None if old is None or new is None else (old, new)


def _given(args: Json) -> Iterator[str]:
    """Yield the words of arguments in order, those of an edit last."""
    if isinstance(args, (list, tuple)):
        for item in args:
            yield from _given(item)
    elif isinstance(args, Mapping):
        edit = edit_of(args)
        names = sorted(name for name in args if edit is None or name not in _OLD + _NEW)
        for name in names:
            yield from _given(args[name])
        if edit is not None:
            yield f"{edit[0]} → {edit[1]}"
    else:
        yield from leaves(args)


def _envelope(result: Json) -> Mapping[str, Json] | None:
    """Return a result that is an object, or the text of one."""
    if isinstance(result, Mapping):
        return result
    words = [*_words(result)] if isinstance(result, (str, list, tuple)) else []
    if len(words) != 1 or not words[0].lstrip().startswith("{") or len(words[0]) > _OBJECT_CHARS:
        return None
    try:
        value = json.loads(words[0])
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, Mapping) else None


def _read(fields: Mapping[str, Json]) -> ResultFields:
    levels = [fields, *_inner(fields, _LEVELS_MAX)]
    exit_code = next((code for level in levels if (code := _exit_code(level)) is not None), None)
    error = next((text for level in levels if (text := _error(level))), "")
    stdout, stderr = (
        next((t for level in levels for name in names if (t := _text(level.get(name)))), "")
        for names in (_STDOUT, _STDERR)
    )
    named = {error, stdout, stderr, "" if exit_code is None else str(exit_code)}
    others = [text for text in leaves(fields) if text not in named]
    return ResultFields(
        _ended(levels, exit_code, error), exit_code, stdout, stderr, error, (*others,)
    )


def _ended(levels: Sequence[Mapping[str, Json]], exit_code: int | None, error: str) -> bool | None:
    """Return how it ended by its fields: what says that it failed counts first."""
    flags = [flag for level in levels for flag in _flags(level)]
    if exit_code is not None:
        flags.append(exit_code == 0)
    if error:
        flags.append(False)
    return all(flags) if flags else None


def _flags(fields: Mapping[str, Json]) -> Iterator[bool]:
    yield from (bool(fields[name]) for name in _GOOD if isinstance(fields.get(name), bool))
    yield from (False for name in _BAD if fields.get(name) is True)
    status = fields.get("status")
    if isinstance(status, str) and (word := status.casefold()) in _GOOD_WORDS | _BAD_WORDS:
        yield word in _GOOD_WORDS
    for name in _HTTP_CODES:
        code = _number(fields.get(name))
        if code in _HTTP_OK or code in _HTTP_ERRORS:
            yield code in _HTTP_OK


def _exit_code(fields: Mapping[str, Json]) -> int | None:
    return next((n for name in _EXIT_CODES if (n := _number(fields.get(name))) is not None), None)


def _error(fields: Mapping[str, Json]) -> str:
    error = fields.get("error")
    words = " ".join(leaves(error)) if not isinstance(error, bool) else "error" * error
    return "" if words.strip().casefold() in _NO_ERROR else words


def _inner(fields: Mapping[str, Json], levels: int) -> Iterator[Mapping[str, Json]]:
    for name in _INNER if levels else ():
        value = fields.get(name)
        if isinstance(value, Mapping):
            yield value
            yield from _inner(value, levels - 1)


def _number(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _words(value: Json) -> Iterator[str]:
    """Yield the words of a result: of blocks of content their text, and nothing of a binary."""
    if isinstance(value, (list, tuple)):
        for block in value:
            yield from _words(block)
    elif isinstance(value, Mapping):
        if value.get("type") not in _BINARY:
            yield from [value["text"]] if isinstance(value.get("text"), str) else leaves(value)
    else:
        yield from leaves(value)
