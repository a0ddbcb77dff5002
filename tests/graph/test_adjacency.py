"""Adjacency: the graph in arrays is the graph of the mutations, however it was arrived at."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import Damaged
from meridia.core.ids import person_id, word_id
from meridia.core.types import EdgeUpsert, EntryKind, NodeUpsert, Space
from meridia.graph import adjacency as adjacency_module
from meridia.graph.adjacency import Adjacency
from meridia.graph.mutations import index_mutations
from meridia.graph.view import GraphView
from meridia.storage.store import Store
from tests.drafts import a_draft
from tests.fakes import private_journal
from tests.graph.journal_drafts import AWAY, HOME
from tests.graph.journal_files import before_statement, opened
from tests.storage.projections.test_catalog import capture


def adjacency_of(file: Store) -> Adjacency:
    return Adjacency(file)


def meet(file: Store, name: str, space: Space = HOME) -> None:
    """Append that somebody was met, as enrichment does after the first capture."""
    id = person_id(space, name)
    payload = {"person": id, "name": name, "aliases": []}
    file.journal.append(space, [a_draft(EntryKind.PERSON_MET, id, payload)])


def enrich(file: Store, seq: int, words: str, people: str = "", space: Space = HOME) -> None:
    """Append what enrichment finds in an experience: concepts, and people it mentions."""
    (entry,) = [entry for entry in file.journal.read(space) if entry.seq == seq]
    payload = {
        "experience": entry.id,
        **{key: {word: word for word in words.split()} for key in ("concepts", "topics")},
        "people": [{"id": person_id(space, n), "name": n} for n in people.split()],
    }
    draft = a_draft(EntryKind.EXPERIENCE_ENRICHED, entry.id, payload, entry.at)
    file.journal.append(space, [draft])


Edges = dict[str, list[tuple[str, str, float]]]


def from_journal(file: Store, space: Space = HOME) -> tuple[list[str], Edges]:
    """Return nodes in order and edges by type, from the mutations alone."""
    nodes: dict[str, None] = {}
    edges: dict[str, dict[tuple[str, str], float]] = {}
    for entry in file.journal.read(space):
        for change in index_mutations(entry):
            if isinstance(change, NodeUpsert):
                nodes.setdefault(change.id)
            elif isinstance(change, EdgeUpsert):
                ends = (change.source, change.target)
                edges.setdefault(change.type, {})[ends] = change.properties["weight"]
    return list(nodes), {
        type: sorted((source, target, weight) for (source, target), weight in of_type.items())
        for type, of_type in edges.items()
    }


def from_view(file: Store, view: GraphView, space: Space = HOME) -> tuple[list[str], Edges]:
    """Return the same out of a view, after checking that both directions hold the same edges."""
    ids = dict(
        file.database.connection.execute(
            "SELECT number, id FROM node WHERE space = ?", (file.journal.scope(space).number,)
        ).fetchall()
    )
    names = [ids[number] for number in view.numbers.tolist()]
    everything = np.arange(len(names))
    edges = {}
    for type in view.outgoing:
        there = view.links(type).of(everything)
        back = view.links(type, outgoing=False).of(everything)
        listed = zip(
            there.position.tolist(), there.target.tolist(), there.weight.tolist(), strict=True
        )
        reverse = zip(
            back.target.tolist(), back.position.tolist(), back.weight.tolist(), strict=True
        )
        edges[type] = sorted((names[a], names[b], weight) for a, b, weight in listed)
        assert edges[type] == sorted((names[a], names[b], weight) for a, b, weight in reverse)
    return names, edges


def columns(view: GraphView) -> dict[str, Any]:
    """Return the experiences of a view with their people and sessions by name."""
    e = view.experiences
    return {
        "seqs": e.seqs.tolist(),
        "at": e.at.tolist(),
        "person": [view.people[i] if i >= 0 else None for i in e.person],
        "session": [view.sessions[i] if i >= 0 else None for i in e.session],
        "words": e.words.tolist(),
        "traits": e.traits.tolist(),
        "node": e.node.tolist(),
        "before": e.before.tolist(),
        "after": e.after.tolist(),
        "experience_of": view.experience_of.tolist(),
    }


happenings = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "session": st.sampled_from("ab").map(lambda key: {"key": key}),
            "person": st.sampled_from(["Dana", "Bob"]),
            "artifacts": st.sampled_from("xy").map(lambda uri: [{"uri": uri}]),
            "words": st.lists(st.sampled_from(["rain", "walk", "barn"]), unique=True).map(" ".join),
            "pause": st.just(value=True),
        },
    ),
    min_size=1,
    max_size=10,
)


def happen(file: Store, place: int, happening: dict[str, Any]) -> None:
    """Capture one of these histories, and enrich it where it says so."""
    event = {k: v for k, v in happening.items() if k not in ("words", "pause")}
    seq = capture(file, f"number {place}", **event)
    if "words" in happening:
        enrich(file, seq, happening["words"], "Eve" if place % 2 else "")


@pytest.mark.parametrize("floor", [0, 3, 20_000])
@given(history=happenings)
def test_a_view_extended_step_by_step_is_the_one_built_at_once(floor, history):
    with private_journal() as file:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(adjacency_module, "_OVERLAY_FLOOR", floor)
            adjacency, view = adjacency_of(file), None
            for place, happening in enumerate(history):
                happen(file, place, happening)
                if "pause" in happening:
                    adjacency.catch_up(HOME)
                    view = adjacency.view(HOME, view)
            adjacency.catch_up(HOME)
            view, once = adjacency.view(HOME, view), adjacency.view(HOME)
        assert from_view(file, view) == from_view(file, once) == from_journal(file)
        assert columns(view) == columns(once)
        assert columns(view)["seqs"] == [f[0] for f in file.catalog.features(HOME, 0, 99)]
        nodes = view.experiences.node
        assert [view.experience_of[node] for node in nodes] == list(range(len(nodes)))
        following = view.links("NEXT").of(nodes)
        after = np.full(len(nodes), -1)
        after[following.position] = view.experience_of[following.target]
        assert after.tolist() == view.experiences.after.tolist()
        before = enumerate(view.experiences.before.tolist())
        assert sorted((a, b) for b, a in before if a >= 0) == [
            (a, b) for a, b in enumerate(after.tolist()) if b >= 0
        ]


def test_a_small_overlay_is_kept_beside_and_a_large_one_merged(private_file, monkeypatch):
    adjacency, view, layers = adjacency_of(private_file), None, []
    monkeypatch.setattr(adjacency_module, "_OVERLAY_FLOOR", 4)
    for _ in range(8):
        capture(private_file, person="Dana")
        adjacency.catch_up(HOME)
        view = adjacency.view(HOME, view)
        layers.append([len(layer.targets) for layer in view.links("SPOKEN_BY").layers])
    assert layers == [[1], [1, 1], [1, 2], [1, 3], [1, 4], [6], [6, 1], [6, 2]]


def test_a_view_that_was_handed_out_never_changes(private_file):
    adjacency = adjacency_of(private_file)
    capture(private_file, person="Dana", session={"key": "a"})
    adjacency.catch_up(HOME)
    old = adjacency.view(HOME)
    before = (from_view(private_file, old), columns(old), list(old.people), list(old.sessions))
    capture(private_file, person="Bob", session={"key": "a"})
    capture(private_file, person="Dana", session={"key": "b"})
    adjacency.catch_up(HOME)
    new = adjacency.view(HOME, old)
    assert new.until > old.until
    assert (
        from_view(private_file, old),
        columns(old),
        list(old.people),
        list(old.sessions),
    ) == before


def test_a_view_of_the_same_end_is_the_same_view(private_file):
    adjacency = adjacency_of(private_file)
    capture(private_file)
    adjacency.catch_up(HOME)
    view = adjacency.view(HOME)
    assert adjacency.view(HOME, view) is view


def test_catching_up_goes_on_where_it_stopped_in_batches(private_file, monkeypatch):
    monkeypatch.setattr(adjacency_module, "_BATCH", 2)
    adjacency = adjacency_of(private_file)
    for i in range(5):
        capture(private_file, str(i), session={"key": "a"})
    assert adjacency.cursor(HOME) == 0
    adjacency.catch_up(HOME)
    assert adjacency.cursor(HOME) == private_file.journal.head(HOME).seq
    assert from_view(private_file, adjacency.view(HOME)) == from_journal(private_file)


def test_a_rebuild_gives_the_same_graph(private_file):
    adjacency = adjacency_of(private_file)
    for i in range(4):
        enrich(private_file, capture(private_file, str(i), session={"key": "a"}), "rain", "Eve")
    adjacency.catch_up(HOME)
    before = from_view(private_file, adjacency.view(HOME)), columns(adjacency.view(HOME))
    adjacency.clear(HOME)
    assert adjacency.cursor(HOME) == 0
    adjacency.catch_up(HOME)
    assert (from_view(private_file, adjacency.view(HOME)), columns(adjacency.view(HOME))) == before


def test_another_version_of_the_projection_builds_the_graph_anew(private_file, monkeypatch):
    capture(private_file, person="Dana")
    adjacency_of(private_file).catch_up(HOME)
    monkeypatch.setattr(adjacency_module, "PROJECTION", ("adjacency", 99))
    adjacency = adjacency_of(private_file)
    assert adjacency.cursor(HOME) == 0
    adjacency.catch_up(HOME)
    assert from_view(private_file, adjacency.view(HOME)) == from_journal(private_file)


def test_spaces_share_no_node_and_no_name(private_file):
    adjacency = adjacency_of(private_file)
    for space in (HOME, AWAY, HOME, AWAY):
        capture(private_file, space=space, person="Dana", session={"key": "a"})
        adjacency.catch_up(space)
    views = {space: adjacency.view(space) for space in (HOME, AWAY)}
    assert not set(views[HOME].numbers) & set(views[AWAY].numbers)
    for space, view in views.items():
        assert from_view(private_file, view, space) == from_journal(private_file, space)
    home = person_id(HOME, "Dana")
    assert adjacency.numbers(AWAY, [home]) == {}
    number = adjacency.numbers(HOME, [home])[home]
    assert adjacency.identify(AWAY, [number]) == {}
    assert adjacency.names_of(AWAY, [home]) == {}


def test_a_view_held_over_a_rebuild_by_another_is_no_mixture(private_file):
    adjacency = adjacency_of(private_file)
    for space in (HOME, AWAY):
        capture(private_file, space=space, person="Dana", session={"key": "a"})
        adjacency.catch_up(space)
    held = adjacency.view(HOME)
    adjacency.clear(HOME)
    adjacency.catch_up(HOME)
    assert adjacency.view(HOME, held).numbers.tolist() == adjacency.view(HOME).numbers.tolist()
    capture(private_file, person="Bob", session={"key": "a"})
    adjacency.catch_up(HOME)
    assert adjacency.view(HOME, held).numbers.tolist() == adjacency.view(HOME).numbers.tolist()


def test_a_rebuild_while_a_view_is_read_spoils_it_only_for_a_while(tmp_path):
    for place, ends in product(range(8), (False, True)):
        path = tmp_path / f"{place}-{ends}.db"
        with opened(path) as file, opened(path) as other:
            for i in range(3):
                capture(file, f"number {i}", person="Dana", session={"key": "a"})
            adjacency = adjacency_of(file)
            adjacency.catch_up(HOME)
            rebuild = before_statement(place, lambda o=other, ends=ends: _rebuild(o, ends))
            file.database.connection.set_trace_callback(rebuild)
            view = adjacency.view(HOME)
            file.database.connection.set_trace_callback(None)
            adjacency.catch_up(HOME)
            view = adjacency.view(HOME, view)
            assert from_view(file, view) == from_journal(file)
            assert columns(view) == columns(adjacency.view(HOME))


def _rebuild(file: Store, ends: bool) -> None:
    adjacency_of(file).clear(HOME)
    if ends:
        adjacency_of(file).catch_up(HOME)


def test_an_erased_experience_does_not_keep_the_view_from_being_built(private_file):
    adjacency = adjacency_of(private_file)
    capture(private_file, "secret", person="Dana")
    capture(private_file, "open", person="Dana")
    with private_file.database.writing() as connection:
        connection.execute("DELETE FROM payload WHERE seq = 1")
    adjacency.catch_up(HOME)
    view = adjacency.view(HOME)
    assert len(view.links("SPOKEN_BY").of(view.experiences.node).target) == 1


def test_nodes_have_readable_names(private_file):
    adjacency = adjacency_of(private_file)
    seq = capture(private_file, person="Dana", session={"key": "s-9"})
    adjacency.catch_up(HOME)
    meet(private_file, "Dana")
    enrich(private_file, seq, "rain")
    adjacency.catch_up(HOME)
    ids = [word_id(HOME, "rain"), person_id(HOME, "Dana"), "nobody"]
    numbers = adjacency.numbers(HOME, ids)
    assert adjacency.identify(HOME, list(numbers.values())) == {
        numbers[ids[0]]: (ids[0], "rain"),
        numbers[ids[1]]: (ids[1], "Dana"),
    }
    assert adjacency.names_of(HOME, ids) == {ids[0]: "rain", ids[1]: "Dana"}


def test_what_most_memories_are_about_comes_first(private_file):
    adjacency = adjacency_of(private_file)
    for words in ("rain walk", "rain", "rain barn walk"):
        enrich(private_file, capture(private_file, person="Dana"), words)
    meet(private_file, "Dana")
    capture(private_file, "elsewhere", AWAY, person="Dana")
    for space in (HOME, AWAY):
        adjacency.catch_up(space)
    assert adjacency.most_shared(HOME, 3) == [
        ("Dana", "Person", 3, None),
        ("rain", "Concept", 3, None),
        ("walk", "Concept", 2, None),
    ]


def test_a_shared_entity_names_what_it_was_merged_into(private_file):
    adjacency = adjacency_of(private_file)
    for number in range(2):
        id = private_file.journal.read(HOME)[-1].id if capture(private_file) else ""
        named = [("x", "Kestrel"), ("y", "Kestrels")][: number + 1]
        entities = [
            {"id": one, "type": "project", "name": name, "confidence": 0.9} for one, name in named
        ]
        payload = {"experience": id, "entities": entities}
        private_file.journal.append(HOME, [a_draft(EntryKind.ENTITIES_MENTIONED, id, payload)])
    merged = {"entity": "y", "into": "x", "reason": "the same", "by": "user"}
    private_file.journal.append(HOME, [a_draft(EntryKind.ENTITIES_MERGED, "", merged)])
    adjacency.catch_up(HOME)
    assert adjacency.most_shared(HOME, 3) == [
        ("Kestrel", "Entity", 2, None),
        ("you", "Person", 2, None),
        ("Kestrels", "Entity", 1, "Kestrel"),
    ]


def test_an_empty_graph_has_an_empty_view(private_file):
    capture(private_file)
    view = adjacency_of(private_file).view(HOME)
    assert (view.until, len(view.numbers), len(view.experiences.seqs)) == (0, 0, 0)


@given(history=happenings, data=st.data())
def test_a_view_at_an_earlier_sequence_is_the_one_that_was_seen_then(history, data):
    with private_journal() as file:
        adjacency, seen = adjacency_of(file), []
        for place, happening in enumerate(history):
            happen(file, place, happening)
            adjacency.catch_up(HOME)
            seen.append(adjacency.view(HOME))
        then = data.draw(st.sampled_from(seen))
        again = adjacency.view_at(HOME, then.until)
        assert again.until == then.until
        assert from_view(file, again) == from_view(file, then)
        assert columns(again) == columns(then)


def test_nodes_are_identified_by_their_numbers(private_file):
    adjacency = adjacency_of(private_file)
    enrich(private_file, capture(private_file, person="Dana"), "rain")
    adjacency.catch_up(HOME)
    ids = [word_id(HOME, "rain"), private_file.journal.read(HOME)[0].id]
    numbers = adjacency.numbers(HOME, ids)
    assert adjacency.identify(HOME, list(numbers.values())) == {
        numbers[ids[0]]: (ids[0], "rain"),
        numbers[ids[1]]: (ids[1], ids[1]),
    }


@pytest.mark.parametrize("column", ["type", "source", "target"])
def test_edges_of_an_unknown_type_or_node_are_told_as_damage(private_file, column):
    capture(private_file, "red barn")
    enrich(private_file, 1, "barn")
    adjacency = adjacency_of(private_file)
    adjacency.catch_up(HOME)
    with private_file.database.writing() as connection:
        connection.execute(f"UPDATE edge SET {column} = 9999")
    with pytest.raises(Damaged, match="run `meridia rebuild`"):
        adjacency.view(HOME)
    adjacency.clear(HOME)
    adjacency.catch_up(HOME)
    assert adjacency.view(HOME).outgoing
