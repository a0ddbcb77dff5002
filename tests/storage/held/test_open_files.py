"""How many files may be open is what the process may have."""

import pytest

from meridia.storage.held import open_files

resource = pytest.importorskip("resource")


def test_the_limit_is_that_of_the_process():
    assert open_files.open_files_max() == resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def test_without_a_limit_it_is_a_usual_one(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, -1))
    assert 64 <= open_files.open_files_max() <= 4096
    monkeypatch.setattr(open_files, "_resource", None)
    assert 64 <= open_files.open_files_max() <= 4096
