"""A tool's result, read by field before anything looks at it: streams, exit status, error, words.

Tools say in many shapes how they ended: a text, a JSON text, an object with an exit code, blocks of
content. This is the one reader of all of them. What no field says stays unknown: a text is read for
signs of failure elsewhere (`failure_signs`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...core.events import text_of
from ...core.types import Json
from .tool_calls import Event, is_result, leaves

#: A JSON text longer than this is no envelope, characters; objects in objects are read so deep.
_OBJECT_CHARS, _LEVELS_MAX = 20_000, 3
_EXIT_CODES = ("exit_code", "exitCode", "exitcode", "returncode", "return_code", "exit_status")
_HTTP_CODES = ("status", "status_code", "statusCode", "http_status", "code")
_HTTP_OK, _HTTP_ERRORS = range(200, 300), range(400, 600)
_GOOD = ("success", "ok", "succeeded")
_BAD = ("isError", "is_error", "interrupted", "timed_out", "timedOut")
_GOOD_WORDS = frozenset({"success", "succeeded", "ok"})
_BAD_WORDS = frozenset({"error", "failure", "failed", "fail"})
#: What an error's field holds where there was none.
_NO_ERROR = frozenset({"", "0", "none", "null", "false"})
_STDOUT, _STDERR = ("stdout", "output"), ("stderr",)
#: Objects that hold the rest of what an envelope says.
_INNER = ("metadata", "response")
#: What an edit replaces, and by what.
_OLD = ("old", "old_string", "old_str", "oldString", "oldText")
_NEW = ("new", "new_string", "new_str", "newString", "newText")
_PATCHES = ("patch", "input", "diff")
_PATCHED_FILE = re.compile(
    r"^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b/)?)(.+?)\s*$", re.MULTILINE
)
#: What stands in the place of bytes, which are an artifact.
_REFERENCE = re.compile(r"(?:data:[\w/+.;=-]*,)?inline:[0-9a-f]{64}")
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
    rest = {name: payload[name] for name in payload if name not in ("args", "result")}
    lines = [(event.get("tool") or {}).get("name", ""), *_given(payload.get("args"))]
    lines += [result.stdout, result.stderr, result.error]
    lines += [f"exit code {result.exit_code}"] * bool(result.exit_code)
    return "\n".join(line for line in (*lines, *result.others, *leaves(rest)) if line)


def edits_of(args: Json) -> list[tuple[str, str]]:
    """Return what a call replaces and by what, edit by edit; none for arguments of no edit."""
    if not isinstance(args, Mapping):
        return []
    several = args.get("edits")
    pairs: list[Json] = several if isinstance(several, list) else [args]
    edits = [edit for pair in pairs if (edit := _edit(pair)) is not None]
    patches = [args[name] for name in _PATCHES if _is_patch(args.get(name))]
    return edits or [edit for patch in patches for edit in _hunks(patch)]


def _edit(args: Json) -> tuple[str, str] | None:
    if not isinstance(args, Mapping):
        return None
    old = next((args[name] for name in _OLD if isinstance(args.get(name), str)), None)
    new = next((args[name] for name in _NEW if isinstance(args.get(name), str)), None)
    return None if old is None or new is None else (old, new)


def _is_patch(text: Json) -> bool:
    return isinstance(text, str) and ("*** Begin Patch" in text or "\n@@" in text)


def _hunks(patch: str) -> Iterator[tuple[str, str]]:
    """Yield what the hunks of a patch replace, and by what."""
    old, new = list[str](), list[str]()
    for line in [*patch.splitlines(), "@@"]:
        is_head = line.startswith(("@@", "*** ", "--- ", "+++ ", "diff "))
        if is_head and (old or new):
            yield "\n".join(old), "\n".join(new)
            old, new = [], []
        if not is_head and line[:1] in {"-", "+"}:
            (old if line[0] == "-" else new).append(line[1:])


def files_of(args: Json) -> list[str]:
    """Return the files that the patches among a call's arguments name."""
    values = args.values() if isinstance(args, Mapping) else [args]
    patches = [value for value in values if _is_patch(value)]
    return list(dict.fromkeys(file for patch in patches for file in _PATCHED_FILE.findall(patch)))


def _given(args: Json) -> Iterator[str]:
    """Yield the words of arguments in order, those of an edit last."""
    if isinstance(args, (list, tuple)):
        for item in args:
            yield from _given(item)
    elif isinstance(args, Mapping):
        edits = edits_of(args)
        used = {*_OLD, *_NEW, "edits"} if edits else {}
        for name in (name for name in args if name not in used):
            if edits and _is_patch(args[name]):
                yield from files_of(args[name])
            else:
                yield from _given(args[name])
        yield from (f"{old} → {new}" for old, new in edits)
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
    words = [] if fields.get("type") in _BINARY and not fields.get("text") else _leaves(fields)
    others = [text for text in words if text not in named]
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
    status = fields.get("status", fields.get("state"))
    if isinstance(status, str) and (word := status.casefold()) in _GOOD_WORDS | _BAD_WORDS:
        yield word in _GOOD_WORDS
    for name in _HTTP_CODES:
        code = _number(fields.get(name))
        if code in _HTTP_OK or code in _HTTP_ERRORS:
            yield code in _HTTP_OK


def _exit_code(fields: Mapping[str, Json]) -> int | None:
    return next((n for name in _EXIT_CODES if (n := _number(fields.get(name))) is not None), None)


def _error(fields: Mapping[str, Json]) -> str:
    error = fields.get("error") or fields.get("errors")
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
    return value if isinstance(value, str) and not _REFERENCE.fullmatch(value) else ""


def _leaves(value: Json) -> list[str]:
    """Return every text and number inside a value but what stands in the place of bytes."""
    return [leaf for leaf in leaves(value) if not _REFERENCE.fullmatch(leaf)]


def _words(value: Json) -> Iterator[str]:
    """Yield the words of a result: of blocks of content their text, and nothing of a binary."""
    if isinstance(value, (list, tuple)):
        for block in value:
            yield from _words(block)
    elif isinstance(value, Mapping):
        if value.get("type") not in _BINARY:
            yield from [value["text"]] if isinstance(value.get("text"), str) else _leaves(value)
    else:
        yield from _leaves(value)
