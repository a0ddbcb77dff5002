"""Bytes that stand in JSON as text: they become artifacts, and are never kept as text.

Data of a known place (a data address, a field for it beside its media type), and texts that are
nothing but a picture or a document in base64, by how these begin.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping

from ..core.types import Json

#: Deeper values are left alone.
_NESTING_MAX = 100
#: How a picture or a document begins in base64, by its media type.
_BEGINNINGS = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "JVBERi0": "application/pdf",
}
_BARE_CHARS_MIN = 512
_BARE = re.compile(r"[A-Za-z0-9+/_\s-]+={0,2}\s*")
_DATA_URI = re.compile(
    r"data:(?P<media>[\w.+-]++/[\w.+-]++)?(?:;[\w.+-]++=[^;,\s\"']*+)*+;base64,"
    r"(?P<data>[A-Za-z0-9+/_-]++={0,2})",
    re.ASCII,
)
_URL_SAFE = str.maketrans("-_", "+/")
MEDIA_FIELDS = ("media_type", "mime_type", "mimeType", "mediaType")
DATA_FIELDS = frozenset({"base64", "b64_json", "file_data", "data"})


def replace_inline_data(value: Json, artifacts: dict[str, Json], depth: int = 0) -> Json:
    """Return a value whose embedded data is replaced by references, which go to `artifacts`."""
    if isinstance(value, str):
        return _without_bytes(value, artifacts)
    if depth > _NESTING_MAX:
        return value  # an event that nests so deeply is refused as a whole
    if isinstance(value, list):
        return [replace_inline_data(item, artifacts, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: inline(item, _media(value), artifacts)
        if name in DATA_FIELDS and _is_data(name, item, value)
        else replace_inline_data(item, artifacts, depth + 1)
        for name, item in value.items()
    }


def _is_data(name: str, item: Json, around: Mapping[str, Json]) -> bool:
    """Whether a field holds bytes as text; one that is only called "data" needs more evidence."""
    if not isinstance(item, str) or not item or item.startswith(("data:", "inline:")):
        return False
    described = any(isinstance(around.get(n), str) for n in (*MEDIA_FIELDS, "format", "transcript"))
    if name != "data":
        return _BARE.fullmatch(item) is not None
    return around.get("type") != "text" and described and _BARE.fullmatch(item) is not None


def _without_bytes(text: str, artifacts: dict[str, Json]) -> str:
    """Return a text with references for data addresses, or for itself where it is a picture."""
    if (
        len(text) >= _BARE_CHARS_MIN
        and text.startswith(tuple(_BEGINNINGS))
        and _BARE.fullmatch(text)
    ):
        media = next(kind for begin, kind in _BEGINNINGS.items() if text.startswith(begin))
        return inline(text, media, artifacts)
    if ";base64," not in text:
        return text
    return _DATA_URI.sub(lambda match: inline(match["data"], match["media"], artifacts), text)


def _media(block: Mapping[str, Json]) -> str | None:
    """Return the media type beside data; audio is described by its format."""
    for name in (*MEDIA_FIELDS, "type"):
        if isinstance(block.get(name), str) and "/" in block[name]:
            return str(block[name])
    return f"audio/{block['format']}" if isinstance(block.get("format"), str) else None


def inline(data: str, media: str | None, artifacts: dict[str, Json]) -> str:
    """Return the reference of data in base64, whose hash and size go to `artifacts`."""
    packed = "".join(data.split()).translate(_URL_SAFE).rstrip("=")
    try:
        body = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except ValueError:
        body = data.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(body).hexdigest()
    uri = f"inline:{digest}"
    artifact = {"kind": kind_of(media or ""), "uri": uri, "sha256": digest, "bytes": len(body)}
    artifacts[uri] = {**artifact, **({"mediaType": media} if media else {})}
    return uri


def kind_of(name: str) -> str:
    """Return the kind of an artifact by its media type, or by the type of its block."""
    return next((kind for kind in ("image", "audio", "video") if kind in name), "file")
