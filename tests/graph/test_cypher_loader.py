"""Cypher by name: without the comment that says why, and never made up."""

from __future__ import annotations

import pytest

from meridia.graph import cypher_loader
from meridia.graph.cypher_loader import CYPHER, comment, cypher


def test_a_statement_comes_without_its_comment():
    path = CYPHER / "traversal" / "hop.cypher"
    first, _, rest = path.read_text("utf-8").partition("\n")
    assert cypher("traversal/hop") == rest.strip()
    assert f"// {comment(path)}" == first


def test_a_statement_that_is_not_there_is_not_made_up():
    with pytest.raises(FileNotFoundError):
        cypher("read/nothing")


def test_a_file_without_its_reason_is_a_mistake_of_ours(tmp_path, monkeypatch):
    (tmp_path / "bare.cypher").write_text("RETURN 1\n")
    monkeypatch.setattr(cypher_loader, "CYPHER", tmp_path)
    with pytest.raises(AssertionError, match="starts with a comment"):
        cypher("bare")
