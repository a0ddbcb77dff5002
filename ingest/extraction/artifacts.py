"""Stage artifacts: the files, links and media that an event names, by reference, never by content.

What the caller gave stands first. Tools that write or edit files name the file; its size and hash
are given where a tool wrote the whole of it, and left out for an edit, a failure, or content that
was redacted or cut. URLs in texts are links; media tokens and media file names are media.
"""

from __future__ import annotations

import hashlib
import mimetypes
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...core.events import text_of
from ...core.experience import artifacts_of
from ...core.types import Json
from ...language.runs.failure_signs import is_error
from ...language.runs.tool_calls import Event, is_result, tool_of
from ..redaction.cuts import CUT
from ..redaction.scanner import count_marks

#: Of one event at most so many are kept; a listing of a thousand links is one memory, not many.
ARTIFACTS_MAX = 20
_URL = re.compile(r"https?://[^\s<>\"'`)\]}|\\^]+")
_TRAILING = ".,;:!?"
_MEDIA_TOKEN = re.compile(r"\bMEDIA:\s*(\S+)")
_MEDIA_FILE = re.compile(
    r"(?<![\w/:.~-])(?:[\w.~-]*/)*[\w.-]+\.(?:png|jpe?g|gif|webp|svg|mp3|wav|ogg|flac|mp4|mov|webm)\b",
    re.IGNORECASE,
)
_WRITE_TOOL = re.compile(r"(?:^|_)(?:write|edit|create|save|apply|patch|replace)(?:_|$)")
_PATH_KEYS = ("path", "file_path", "filepath", "filename", "file", "notebook_path", "target_file")
_CONTENT_KEYS = ("content", "contents", "text", "file_text", "data")
#: Tools, and commands of one tool with several, whose content is the whole file.
_WHOLE_TOOL = re.compile(r"(?:^|_)(?:write|create|save)(?:_|$)")
_EDIT_TOOL = re.compile(r"(?:^|_)(?:edit|apply|patch|replace|append|insert|multi)(?:_|$)")
_WHOLE_COMMANDS = ("create", "write", "overwrite")
#: Arguments that say that only a piece of a file is written.
_PIECE_KEYS = frozenset(
    "old_string old_str new_string new_str edits diff patch append offset insert_line line lines "
    "start_line end_line line_start line_end range view_range position".split()
)


def extract_artifacts(event: Event) -> list[dict[str, Json]]:
    """Return the artifacts of an event, each once, in the order in which it names them.

    An artifact has `kind` (file, link, image, audio, video) and `uri`; `mimeType`, `sizeBytes`
    and `sha256` where they are known.
    """
    artifacts: dict[str, dict[str, Json]] = {}
    for artifact in (*_from_caller(event), *_from_file_tool(event), *_from_text(text_of(event))):
        key = str(artifact.get("sha256") or artifact["uri"])
        artifacts.setdefault(key, artifact)
    return list(artifacts.values())[:ARTIFACTS_MAX]


def _from_caller(event: Event) -> Iterator[dict[str, Json]]:
    yield from artifacts_of(event)


def _from_file_tool(event: Event) -> Iterator[dict[str, Json]]:
    args = event["payload"].get("args") if is_result(event) else None
    if not isinstance(args, Mapping) or not _WRITE_TOOL.search(tool_of(event)):
        return
    path = _first_text(args, _PATH_KEYS)
    if path is None:
        return
    artifact = _file_artifact(path)
    content = _first_text(args, _CONTENT_KEYS)
    if content is not None and _is_whole_file(event, args, content):
        body = content.encode("utf-8")
        artifact |= {"sizeBytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    yield artifact


def _is_whole_file(event: Event, args: Mapping[str, Any], content: str) -> bool:
    """Whether a file holds this content, and nothing else, after a tool has run."""
    given = {name for name, value in args.items() if value not in (None, False, "", [], {})}
    if is_error(event) or given & _PIECE_KEYS or str(args.get("mode", "w"))[:1] not in "wx":
        return False
    if count_marks(content) or CUT.search(content):
        return False
    if isinstance(args.get("command"), str):
        return args["command"] in _WHOLE_COMMANDS
    tool = tool_of(event)
    return _WHOLE_TOOL.search(tool) is not None and _EDIT_TOOL.search(tool) is None


def _from_text(text: str) -> Iterator[dict[str, Json]]:
    for match in _URL.finditer(text):
        url = match.group().rstrip(_TRAILING)
        yield _with_media_type({"kind": "link", "uri": url}, url.partition("?")[0])
    for match in _MEDIA_TOKEN.finditer(text):
        yield _file_artifact(match.group(1).rstrip(_TRAILING))
    for match in _MEDIA_FILE.finditer(text):
        yield _file_artifact(match.group())


def _file_artifact(path: str) -> dict[str, Json]:
    return _with_media_type({"kind": "file", "uri": path}, path)


def _with_media_type(artifact: dict[str, Json], name: str) -> dict[str, Json]:
    """Add the media type that a name suggests; an image is an image wherever it lies."""
    mime = mimetypes.guess_type(name)[0]
    if mime is None:
        return artifact
    family = mime.partition("/")[0]
    kind = family if family in {"image", "audio", "video"} else artifact["kind"]
    return {**artifact, "kind": kind, "mimeType": mime}


def _first_text(args: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value = args.get(key)
        if isinstance(value, str) and value:
            return value
    return None
