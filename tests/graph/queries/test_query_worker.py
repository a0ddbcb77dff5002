"""The other process: what it answers on its two pipes."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from meridia.core.ports import Head
from meridia.core.types import NodeUpsert, Seq, Space
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.queries.query_guard import check_statement

LIMITS = 5.0, 10, 256


def answers(*requests: tuple[str, tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Return what a worker answers to some requests, after which nobody asks any more."""
    done = subprocess.run(
        [sys.executable, "-m", "meridia.graph.queries.query_worker"],
        input=b"".join(pickle.dumps(request) for request in requests),
        capture_output=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_it_answers_about_a_copy_with_its_changes_and_tells_errors(tmp_path: Path):
    store, copy = KgliteStore(tmp_path / "graph.kgl", Space("home")), tmp_path / "copy.kgl"
    with store.transaction() as writer:
        writer.apply([NodeUpsert("Person", "a", {"name": "Dana"})])
        writer.move_cursor(Head(Seq(1), b""))
    store._back_up(copy)
    store.close()
    names = check_statement("MATCH (p:Person) RETURN p.name AS name ORDER BY name")
    change = "MERGE (p:Person {id: $id}) SET p.name = $name", {"id": "b", "name": "Robin"}
    found = answers(
        ("ask", ([], names, {"space": "home"}, *LIMITS)),
        ("load", (str(copy),)),
        ("ask", ([change], names, {"space": "home"}, *LIMITS)),
        ("ask", ([], check_statement("RETURN x"), {"space": "home"}, *LIMITS)),
        ("unload", ()),
        ("load", (str(tmp_path / "none.kgl"),)),
    )
    assert found[0] == {"error": ["MeridiaError", "no graph was loaded"]}
    assert found[1] == {}
    assert found[2]["rows"] == [["Dana"], ["Robin"]]
    assert found[2]["last"] is False
    assert found[3]["error"][0] == "InvalidInput"
    assert found[5]["error"][0] == "MeridiaError"
