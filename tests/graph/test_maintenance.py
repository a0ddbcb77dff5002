"""Upkeep of one space: where it stands, whether it is whole, building it again."""

import pytest
from fakes import FakeEmbedder

from meridia import Memory
from meridia.core.errors import NotFound
from meridia.core.ids import session_id
from meridia.core.settings import Settings
from meridia.storage.upkeep import chosen_spaces, rebuild_lists, verify
from tests.fakes import numbered


@pytest.fixture
def memory():
    with Memory(None, "s", Settings(), embedder=FakeEmbedder()) as opened:
        for place in range(12):
            opened.remember(
                f"the boat needs paint {place}", person="Dana", session=f"s{place // 5}"
            )
        opened.capture(
            {
                "kind": "tool_result",
                "tool": {"name": "bash"},
                "payload": {"result": "painted", "args": {"cmd": "make paint", "at": "noon"}},
            }
        )
        opened.enrich()
        yield opened


def _answers(memory: Memory):
    return [(hit.id, hit.score) for hit in memory.recall("make the boat painted").hits]


def test_a_projection_that_is_up_to_date_has_no_lag(memory: Memory):
    memory.project()
    status = memory.status(graph=True)
    assert {name: status.lag(name) for name in status.cursors} == {
        "search": 0,
        "enrichment": 0,
        "adjacency": 0,
        "graph": 0,
    }
    assert status.experiences == {"tool_result": 1, "user_message": 12}


def test_what_is_not_projected_yet_is_a_lag(memory: Memory):
    memory.project()
    memory.remember("one more")
    status = memory.status(graph=True)
    assert {status.lag(name) for name in ("adjacency", "graph", "enrichment")} == {1}
    assert status.lag("search") == 0


def test_rebuilding_everything_changes_no_answer_and_no_digest(memory: Memory):
    digest, answers = memory.digest(), _answers(memory)
    memory.rebuild()
    assert memory.digest() == digest
    assert _answers(memory) == answers
    assert list(verify(memory.parts, memory.space)) == []


def test_row_38_everything_but_the_journal_can_be_dropped(memory: Memory):
    digest, answers = memory.digest(), _answers(memory)
    with memory.parts.database.writing() as connection:
        for table in ("experience", "node", "edge", "cursor"):
            connection.execute(f"DELETE FROM {table}")
        connection.execute("DELETE FROM full_text")
    memory.graph().drop()
    memory.rebuild()
    memory.enrich()
    assert memory.digest() == digest
    assert _answers(memory) == answers


def test_a_lost_row_of_the_list_is_found(memory: Memory):
    with memory.parts.database.writing() as connection:
        connection.execute("DELETE FROM experience WHERE seq = 3")
    assert ["rebuild" in found.problem for found in verify(memory.parts, memory.space)] == [True]


def test_all_spaces_are_meant_where_none_is_named(memory: Memory):
    memory.in_space("other").remember("hello")
    assert chosen_spaces(memory.parts, None) == ["other", "s"]
    assert chosen_spaces(memory.parts, memory.space) == ["s"]
    with pytest.raises(NotFound, match="'nowhere'"):
        chosen_spaces(memory.parts, "nowhere")


# The lists


def test_a_rebuild_keeps_vectors_and_looks_for_the_ends_of_sessions_again(memory: Memory):
    connection = memory.parts.database.connection
    count = "SELECT count(*) FROM embedding"
    before = connection.execute(count).fetchone()
    rebuild_lists(memory.parts, memory.space)
    assert before == connection.execute(count).fetchone() != (0,)
    sessions = [session_id(memory.space, f"s{number}") for number in range(3)]
    assert numbered(memory.parts).sessions.open_sessions().keys() == set(sessions)


def test_the_status_tells_what_ingest_made_of_a_space(memory: Memory):
    tally = memory.status().tally
    assert sum(tally.statuses.values()) == sum(memory.status().experiences.values())
    assert (tally.dead, tally.waiting) == (0, 0)
