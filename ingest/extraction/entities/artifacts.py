"""Stage artifacts: the files, links and media that an event names, by reference, never by content.

What the caller gave stands first. Tools that write or edit files name the file with its size and
hash; URLs in texts are links; media tokens and media file names are images, audio or video.
"""

from __future__ import annotations

import hashlib
import mimetypes
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ....core.events import text_of
from ....core.types import Json
from ...capture.event_view import Event, is_result, tool_of

#: Of one event at most so many are kept; a listing of a thousand links is one memory, not many.
ARTIFACTS_MAX = 20
_URL = re.compile(r"https?://[^\s<>\"'`)\]}|\\^]+")
_TRAILING = ".,;:!?"
_MEDIA_TOKEN = re.compile(r"\bMEDIA:\s*(\S+)")
_MEDIA_FILE = re.compile(
    r"(?<![\w/:.])(?:[\w.~-]*/)*[\w.-]+\.(?:png|jpe?g|gif|webp|svg|mp3|wav|ogg|flac|mp4|mov|webm)\b",
    re.IGNORECASE,
)
_WRITE_TOOL = re.compile(r"(?:^|_)(?:write|edit|create|save|apply|patch|replace)(?:_|$)")
_PATH_KEYS = ("path", "file_path", "filepath", "filename", "file", "notebook_path", "target_file")
_CONTENT_KEYS = ("content", "contents", "text", "new_string", "file_text", "data")


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
    for artifact in event.get("artifacts") or ():
        yield dict(artifact)


def _from_file_tool(event: Event) -> Iterator[dict[str, Json]]:
    args = event["payload"].get("args") if is_result(event) else None
    if not isinstance(args, Mapping) or not _WRITE_TOOL.search(tool_of(event)):
        return
    path = _first_text(args, _PATH_KEYS)
    if path is None:
        return
    artifact = _file_artifact(path)
    content = _first_text(args, _CONTENT_KEYS)
    if content is not None:
        body = content.encode("utf-8")
        artifact |= {"sizeBytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    yield artifact


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
