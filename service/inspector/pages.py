"""The static files of the service: its first page, the API to read, and the inspector.

They call only this service. They contain no memory and name no space, so they need no key; what
they ask for needs one.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ...memory import Memory
from ..problems import CONTENT_TYPE, encoded, problem

FOLDER = "/inspect/"
_INDEX = "index.html"
#: Pages outside of the folder, and their files in it.
_PAGES = {"/": "home.html", "/docs": "docs.html"}
_CONFIG = "config"
#: The browser runs, shows and asks nothing but what comes from this service.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}
_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
_ASSETS = {
    path.name: (path.read_bytes(), _TYPES[path.suffix])
    for path in sorted(Path(__file__).with_name("assets").iterdir())
    if path.suffix in _TYPES
}


def is_page(path: str) -> bool:
    """Say whether a path is a page, or one of the files of pages."""
    return path in _PAGES or path.startswith(FOLDER) or path == FOLDER.rstrip("/")


def routes(memory: Memory, *, needs_keys: bool) -> list[Route]:
    """Return the routes of all pages over an open memory."""
    config = {"needs_key": needs_keys, "journal": journal_mark(memory.parts.path)}

    async def open_folder(_: Request) -> Response:
        return RedirectResponse("inspect/")

    async def send_page(request: Request) -> Response:
        return _answer(*_ASSETS[_PAGES[request.url.path]])

    async def send(request: Request) -> Response:
        name = request.path_params["name"] or _INDEX
        if name == _CONFIG:
            return _answer(encoded(config), "application/json")
        if name in _ASSETS:
            return _answer(*_ASSETS[name])
        status, document = problem("not_found", "the inspector has no such file")
        return _answer(encoded(document), CONTENT_TYPE, status)

    return [
        *(Route(path, send_page, name=file) for path, file in _PAGES.items()),
        Route(FOLDER.rstrip("/"), open_folder, name="inspect"),
        Route(FOLDER + "{name:path}", send, name="inspect file"),
    ]


def journal_mark(path: Path) -> str:
    """Return what tells journals of this machine apart, without saying where they are."""
    return hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]


def _answer(body: bytes, media_type: str, status: int = 200) -> Response:
    return Response(body, status, _HEADERS, media_type)
