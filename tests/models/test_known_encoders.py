"""Known encoders are taken from a package only where it is the known one to the byte."""

import hashlib
import json
import zipfile
from dataclasses import replace

import pytest

from meridia.core.errors import InvalidInput, NotFound, Unavailable
from meridia.models import encoders
from meridia.models.encoders import KNOWN, encoder_of, fetch, folder_of

NAME = "bge-small-zh"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Give a small package in the form of the real one, and make it the known one."""
    jar = tmp_path / "package.jar"
    with zipfile.ZipFile(jar, "w") as packed:
        packed.writestr(KNOWN[NAME].weights, b"weights")
        packed.writestr(KNOWN[NAME].tokenizer, b"{}")
        packed.writestr("META-INF/MANIFEST.MF", b"")
    sha256 = hashlib.sha256(jar.read_bytes()).hexdigest()
    monkeypatch.setitem(encoders.KNOWN, NAME, replace(KNOWN[NAME], sha256=sha256))
    return jar


def test_a_package_becomes_the_folder_of_an_encoder(package):
    folder = fetch(NAME, package)
    assert folder == folder_of(NAME)
    assert (folder / "model.onnx").read_bytes() == b"weights"
    assert json.loads((folder / "1_Pooling" / "config.json").read_text()) == {
        "pooling_mode_cls_token": True
    }
    assert fetch(NAME, package) == folder, "a second time it is made anew"
    assert [path.name for path in folder.parent.iterdir()] == [NAME]


def test_a_package_that_is_another_to_the_byte_is_refused_and_leaves_nothing(package):
    package.write_bytes(package.read_bytes() + b"x")
    with pytest.raises(InvalidInput, match="its SHA-256 is another one"):
        fetch(NAME, package)
    assert not folder_of(NAME).exists()


def test_what_is_not_known_or_not_there_is_said(tmp_path):
    with pytest.raises(NotFound, match="choose from bge-small-zh"):
        fetch("none")
    with pytest.raises(InvalidInput, match="is not a file"):
        fetch(NAME, tmp_path / "none.jar")
    with pytest.raises(Unavailable, match="run `meridia models get bge-small-zh`"):
        encoder_of(NAME)


def test_without_maven_it_is_said_what_to_do(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Unavailable, match="name it with --from"):
        fetch(NAME)
