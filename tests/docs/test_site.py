"""The site of the documents is built without a warning, and asks nothing of another host."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.tidy.tree import ROOT

pytest.importorskip("mkdocs")
#: What a page loads by itself, from another host.
LOADED = re.compile(r'<(?:script|img)[^>]+src="(https?:[^"]+)"|<link[^>]+stylesheet[^>]+"(https?:)')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "docs.site", "--out", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def test_every_document_has_a_page(site):
    assert (site / "index.html").is_file()
    documents = [path.stem for path in (ROOT / "docs").glob("*.md")]
    assert [name for name in documents if not (site / "docs" / name / "index.html").is_file()] == []


def test_no_page_loads_anything_from_another_host(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    assert [page.name for page in pages if LOADED.search(page.read_text("utf-8"))] == []
