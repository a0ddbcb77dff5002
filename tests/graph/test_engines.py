"""Which engine holds a graph, and where its file lies."""

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import Unavailable
from meridia.core.ports import START
from meridia.core.settings import GraphSettings
from meridia.core.types import Space
from meridia.graph.engines import Graphs, graph_path, open_store
from meridia.graph.kglite_store import KgliteStore
from meridia.graph.schema import Partition
from meridia.storage.store import Store
from tests.graph.journal_drafts import AWAY, HOME
from tests.storage.projections.test_catalog import capture


def test_the_embedded_engine_needs_nothing(tmp_path: Path):
    store = open_store(GraphSettings(), tmp_path / "a.db", Partition(Space("s")))
    assert store.name == "kglite"
    assert store.cursor().seq == 0
    store.close()


def test_a_neo4j_that_is_not_there_is_said_to_be_down(tmp_path: Path):
    settings = GraphSettings(engine="neo4j", neo4j_uri="bolt://127.0.0.1:1")
    with pytest.raises(Unavailable, match="127.0.0.1:1"):
        open_store(settings, tmp_path / "a.db", Partition(Space("s"))).ensure_schema()


@given(st.text(min_size=1), st.text(min_size=1))
def test_every_space_has_a_file_of_its_own_beside_the_journal(one: str, other: str):
    journal = Path("/data/agent.db")
    first, second = (
        graph_path(journal, space.encode("utf-8", "replace").decode()) for space in (one, other)
    )
    assert first.parent == journal.parent
    assert first.name.startswith("agent.db-graph-")
    if one.encode("utf-8", "replace") != other.encode("utf-8", "replace"):
        assert first != second


def test_a_graph_that_fails_while_it_is_opened_is_closed(
    journal_file: Store, monkeypatch: pytest.MonkeyPatch
):
    capture(journal_file, space=HOME)
    opened = (GraphSettings(), journal_file)
    with monkeypatch.context() as patched:
        patched.setattr(KgliteStore, "ensure_schema", _fail)
        with pytest.raises(Unavailable):
            Graphs(*opened).of(HOME)
    with closing(Graphs(*opened)) as graphs:
        store = graphs.of(HOME)
        assert isinstance(store, KgliteStore)
        assert not store.private, "the file is owned by nobody else"


def _fail(_: KgliteStore) -> None:
    raise Unavailable("gone")


def test_a_graph_is_opened_once_a_space_and_again_after_it_was_released(journal_file: Store):
    for space in (HOME, AWAY):
        capture(journal_file, space=space)
    graphs = Graphs(GraphSettings(), journal_file)
    store = graphs.of(HOME)
    assert graphs.of(HOME) is store
    assert graphs.of(AWAY) is not store
    assert store.cursor().seq == 0
    assert graphs.projected(HOME) is store
    assert store.cursor().seq == 1
    graphs.release(HOME)
    assert graphs.of(HOME) is not store
    assert graphs.of(HOME).cursor().seq == 1
    graphs.close()
    graphs.release(HOME)


def test_what_another_process_owns_is_not_changed_from_here(
    journal_file: Store, monkeypatch: pytest.MonkeyPatch
):
    capture(journal_file, space=HOME)
    graphs = Graphs(GraphSettings(), journal_file)
    assert graphs.projected(HOME).cursor() != START
    with monkeypatch.context() as patch:
        patch.setattr(KgliteStore, "private", True)
        with pytest.raises(Unavailable, match="owns"):
            graphs.forget(HOME)
    graphs.forget(HOME)
    assert graphs.of(HOME).cursor() != START
    graphs.close()
