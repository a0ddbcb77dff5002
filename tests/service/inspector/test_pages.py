"""The files of the inspector: strict headers, nothing outside of the folder, no key and no data."""

from __future__ import annotations

import re

import httpx
import pytest

from meridia.service.inspector.pages import is_page, journal_mark
from tests.tidy.tree import ROOT

ASSETS = ROOT / "service" / "inspector" / "assets"
JS_LINES_MAX = 400
#: By others, as it is published: its comments name hosts, and the policy lets it ask none.
LIBRARY = "cytoscape"


@pytest.fixture(scope="module")
def anybody(service):
    """Give a client without a key."""
    with httpx.Client(base_url=service.url) as client:
        yield client


def test_every_file_is_sent_with_its_type_and_a_strict_policy(anybody):
    types = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image"}
    types |= {".mjs": "text/javascript", ".txt": "text/plain"}
    for path in sorted(ASSETS.iterdir()):
        answer = anybody.get(f"/inspect/{path.name}")
        assert answer.status_code == 200
        assert answer.content == path.read_bytes()
        assert answer.headers["content-type"].startswith(types[path.suffix])
        assert answer.headers["x-content-type-options"] == "nosniff"
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy


def test_the_page_is_there_with_and_without_a_slash(anybody):
    page = anybody.get("/inspect", follow_redirects=True)
    assert page.url.path == "/inspect/"
    assert page.text == (ASSETS / "index.html").read_text("utf-8")


@pytest.mark.parametrize(("path", "file"), [("/", "home.html"), ("/docs", "docs.html")])
def test_the_first_page_and_the_api_need_no_key_and_tell_nothing(anybody, path, file):
    answer = anybody.get(path)
    assert answer.text == (ASSETS / file).read_text("utf-8")
    assert answer.headers["content-security-policy"].startswith("default-src 'none';")
    for target in re.findall(r'(?:href|src)="([^"#]+)"', answer.text):
        followed = anybody.get(f"/{target}", follow_redirects=True)
        assert followed.status_code == 200, target


@pytest.mark.parametrize("name", ["none.js", "../pages.py", "%2e%2e/pages.py", "assets/main.js"])
def test_nothing_else_is_sent(anybody, name):
    answer = anybody.get(f"/inspect/{name}")
    assert answer.status_code in {401, 404}
    assert "def " not in answer.text


def test_it_says_whether_a_key_is_needed_and_which_journal_it_is(anybody, service):
    mark = journal_mark(service.memory.parts.path)
    assert anybody.get("/inspect/config").json() == {"needs_key": True, "journal": mark}
    assert anybody.get("/v1/recalls").status_code == 401


def test_without_keys_its_own_page_may_ask_and_no_other_page(open_service):
    body, host = {"question": "Who?"}, open_service.url
    with httpx.Client(base_url=host) as client:
        own = client.post("/v1/recall", json=body, headers={"origin": host})
        assert own.status_code == 200
        for origin in ("http://evil.example", "null", host.replace("http:", "https:")):
            answer = client.post("/v1/recall", json=body, headers={"origin": origin})
            assert answer.status_code == 403
        rebound = {"origin": "http://evil.example:1", "host": "evil.example:1"}
        assert client.post("/v1/recall", json=body, headers=rebound).status_code == 403


def test_only_paths_of_the_folder_are_pages():
    assert is_page("/inspect")
    assert is_page("/inspect/main.js")
    assert is_page("/")
    assert is_page("/docs")
    assert not is_page("/docs/x")
    assert not is_page("/inspector")
    assert not is_page("/v1/recall")


def test_what_is_served_names_no_other_host_and_makes_no_html_of_text():
    unsafe = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|\son\w+=")
    for path in sorted(ASSETS.iterdir()):
        if path.name.startswith(LIBRARY):
            continue
        text = path.read_text("utf-8")
        hosts = set(re.findall(r"https?://([\w.]+)", text))
        assert hosts <= {"www.w3.org"}, path.name
        assert not unsafe.search(text), path.name
        assert len(text.splitlines()) <= JS_LINES_MAX or path.suffix == ".css", path.name
        assert max(map(len, text.splitlines())) <= 100, path.name
