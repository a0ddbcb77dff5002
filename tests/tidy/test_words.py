"""Words that do not belong: of the machines it was written on, and of work that was put off."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path
from urllib.parse import urlsplit

from tests.tidy.tree import ROOT, files, relative

#: Folders in which machines that build keep their work. (People's homes are examples in tests; the
#: one of this machine is looked for by its name.)
_FOLDERS = ("work", "root", "mnt", "builds", "workspace")
_ABSOLUTE = re.compile(rf"(?<![\w.~$}}-])/(?:{'|'.join(_FOLDERS)})/\w")
_HOST = re.compile(r"https?://([\w.-]+)")
#: Servers that hand out packages are chosen by whoever installs, never by the project.
_REGISTRY = re.compile(r"pypi|pythonhosted|artifactory|nexus|mirror|registry|repo1|jfrog")
_PUT_OFF = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")

TEXTS = [
    path
    for path in files()
    if path.suffix not in {".png", ".db", ".gz", ".kgl", ".mjs"}
    and "data/minilm" not in relative(path)
]


def text_of(path):
    """Return a file's text; golden journals and the like have none."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        return ""


def offenders(find):
    """Return where `find` finds something, and what."""
    found = {relative(path): find(text_of(path)) for path in TEXTS}
    return {name: words for name, words in found.items() if words}


def words_of_this_machine():
    """Return what names this machine: its name, its folders, the servers it installs from."""
    variables = ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "GOPROXY", "HTTPS_PROXY")
    hosts = [urlsplit(os.environ.get(name, "")).hostname or "" for name in variables]
    words = {str(ROOT), str(Path.home()), socket.gethostname(), *hosts}
    return {word for word in words if len(word) > len("/root/") and word != "localhost"}


def test_no_file_names_the_machine_it_was_written_on():
    words = words_of_this_machine()
    assert offenders(lambda text: [word for word in words if word in text]) == {}
    assert offenders(_ABSOLUTE.findall) == {}


def test_no_file_names_a_server_to_install_from():
    assert offenders(lambda text: [h for h in _HOST.findall(text) if _REGISTRY.search(h)]) == {}


def test_no_file_puts_anything_off():
    assert offenders(_PUT_OFF.findall) == {}


def test_the_search_finds_what_it_looks_for():
    assert _ABSOLUTE.search("see /work" + "space/x")
    assert not _ABSOLUTE.search("https://example.org/work/page and ~/work/x")
    assert _PUT_OFF.search("# TO" + "DO later")
    assert len(TEXTS) > 100
