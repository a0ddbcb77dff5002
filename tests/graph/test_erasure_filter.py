"""What hangs on something erased is left out, whatever its kind and however it is batched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from meridia.core.ids import relationship_id
from meridia.core.people import NOBODY, Directory, Identity, NameState, PersonName
from meridia.core.types import EdgeUpsert, Entry, EntryKind, Mutation, NodeUpsert, Seq
from meridia.core.vocabulary import NameSource
from meridia.graph.erasure_filter import changes, with_identities
from meridia.graph.mutations import mutations
from tests.graph.journal_drafts import HOME
from tests.histories import HistoryEvent, Step, TestJournal, an_entry, every_kind, histories, play


class Graph:
    """A graph that knows only which nodes it has, and what it was asked for."""

    def __init__(self, **has: set[str]) -> None:
        self.has = has
        self.asked: list[tuple[str, list[str]]] = []

    def known(self, label: str, ids: Sequence[str]) -> set[str]:
        self.asked.append((label, list(ids)))
        return self.has.get(label, set()) & set(ids)

    def take(self, entries: Sequence[Entry]) -> list[Mutation]:
        found = [one for _, mine in changes(entries, self.known) for one in mine]
        for change in found:
            if isinstance(change, NodeUpsert):
                self.has.setdefault(change.label, set()).add(change.id)
        return found


def entry(kind: EntryKind, seq: int = 9, **payload: Any) -> Entry:
    return an_entry(kind, payload, seq=Seq(seq), id=f"entry-{seq}", key=f"key-{seq}")


def enriched(experience: str) -> Entry:
    payload: dict[str, Any] = {"concepts": {"boat": "boat"}, "people": []}
    return entry(EntryKind.EXPERIENCE_ENRICHED, experience=experience, **payload)


def asserted(fact: str, experience: str) -> Entry:
    said = {"subject": "Dana", "predicate": "lives_in", "object": "Bergen", "text": "Dana lives"}
    how = {"stability": "dynamic", "t_valid": "2026-03-01T10:00:00Z", "confidence": 0.9}
    told = {"fact": fact, "experience": experience, "subject_id": None, "by": "rule"}
    return entry(EntryKind.FACT_ASSERTED, **told, **said, **how)


def superseded(fact: str, by: str | None = None) -> Entry:
    how = {"relation": "supersedes", "t_invalid": None, "reason": "moved", "by": "rule"}
    return entry(EntryKind.FACT_SUPERSEDED, fact=fact, by_fact=by, **how)


def related(experience: str, *others: str) -> Entry:
    found = [[other, 0.5] for other in others]
    return entry(EntryKind.MEMORIES_ASSOCIATED, experience=experience, related=found)


def ends(found: Sequence[Mutation], type: str) -> list[str]:
    return [one.target for one in found if isinstance(one, EdgeUpsert) and one.type == type]


def test_what_is_said_about_an_experience_that_is_there_is_kept():
    told = enriched("e-1")
    graph = Graph(Experience={"e-1"})
    assert changes([told], graph.known) == [(told, mutations(told))]


def test_what_is_said_about_an_erased_experience_is_left_out_with_its_nodes():
    assert Graph().take([enriched("e-1"), asserted("f-1", "e-1"), related("e-1")]) == []


def test_an_edge_to_an_erased_experience_is_left_out_and_those_beside_it_stay():
    found = Graph(Experience={"e-1", "e-3"}).take([related("e-1", "e-2", "e-3")])
    assert ends(found, "RELATED") == ["e-3"]


def test_a_fact_whose_experience_was_erased_takes_its_supersession_with_it():
    graph = Graph(Experience={"e-2"})
    found = graph.take([asserted("f-1", "e-1"), asserted("f-2", "e-2"), superseded("f-1", "f-2")])
    assert {one.id for one in found if isinstance(one, NodeUpsert) and one.label == "Fact"} == {
        "f-2"
    }
    assert not ends(found, "SUPERSEDES")


def test_a_fact_that_an_erased_one_took_back_stays_and_names_no_successor():
    found = Graph(Fact={"f-1"}).take([superseded("f-1", "f-2")])
    assert not [one for one in found if isinstance(one, EdgeUpsert)]
    kept = [one for one in mutations(superseded("f-1", "f-2")) if isinstance(one, NodeUpsert)]
    assert found == kept


def test_what_comes_in_the_same_batch_is_not_asked_for():
    graph = Graph()
    captured = an_entry(EntryKind.EXPERIENCE_CAPTURED, {"event": HistoryEvent("a word").as_json()})
    graph.take([captured, enriched(captured.id), asserted("f-1", captured.id), superseded("f-1")])
    assert graph.asked == []


def test_an_experience_that_was_erased_in_the_same_batch_is_not_there():
    graph = Graph()
    captured = an_entry(EntryKind.EXPERIENCE_CAPTURED, None)
    assert graph.take([captured, enriched(captured.id)]) == []
    assert graph.asked == [("Experience", [captured.id])]


def test_what_is_said_of_people_hangs_on_no_experience():
    met = entry(EntryKind.PERSON_MET, person="p-1", name="Dana", aliases=[])
    graph = Graph()
    assert graph.take([met]) == mutations(met)
    assert graph.asked == []


def test_nothing_is_left_out_of_entries_of_every_kind_where_nothing_was_erased():
    with TestJournal() as journal:
        every_kind(journal, HOME)
        entries = journal.read(HOME, 0, 1000)
    whole = [(one, [with_identities(c, NOBODY) for c in mutations(one)]) for one in entries]
    assert changes(entries, Graph().known) == whole


def read(history: Sequence[Step]) -> list[Entry]:
    with TestJournal() as journal:
        play(journal, HOME, history, lambda: None)
        return journal.read(HOME, 0, 1000) if journal.spaces() else []


@given(histories, st.integers(1, 9))
def test_how_entries_are_batched_does_not_matter(history, batch):
    entries = read(history)
    steps = Graph()
    found = [
        change
        for start in range(0, len(entries), batch)
        for change in steps.take(entries[start : start + batch])
    ]
    assert found == Graph().take(entries)


@given(histories)
def test_both_ends_of_every_edge_that_is_kept_are_there(history):
    graph = Graph()
    for change in graph.take(read(history)):
        if isinstance(change, EdgeUpsert):
            assert change.source in graph.has[change.source_label]
            assert change.target in graph.has[change.target_label]


def changed(person: str, seq: int) -> Entry:
    how = {"type": "primary", "threshold": None, "by": "user"}
    return entry(EntryKind.RELATIONSHIP_CHANGED, seq=seq, person=person, **how)


def test_what_nobody_met_has_become_is_left_out():
    graph = Graph(Person={"known"})
    assert graph.take([changed("nobody", 1)]) == []
    nodes = [n for n in graph.take([changed("known", 2)]) if isinstance(n, NodeUpsert)]
    assert [n.label for n in nodes] == ["Person", "Transition", "Relationship"]
    assert nodes[0].id == "known"


def test_a_fact_is_about_nobody_who_was_never_met():
    said = {"subject": "Dana", "predicate": "lives_in", "object": "Bergen", "text": "Dana lives"}
    how = {"stability": "dynamic", "t_valid": "2026-03-01T10:00:00Z", "confidence": 0.9}
    whose = {"fact": "f-1", "experience": "e-1", "subject_id": "p-1", "by": "rule"}
    fact = entry(EntryKind.FACT_ASSERTED, **whose, **said, **how)
    assert ends(Graph(Experience={"e-1"}).take([fact]), "ABOUT") == []
    assert ends(Graph(Experience={"e-1"}, Person={"p-1"}).take([fact]), "ABOUT") == ["p-1"]


NAMES = (PersonName("q", "Stein", NameSource.INTRODUCED, NameState.LEARNED),)
ONE = Identity("q", "Robert")
DIRECTORY = Directory("o", {"p": "Bob", "q": "Robert"}, {"p": ONE}, NAMES, "home")


def test_an_edge_leads_to_who_somebody_is():
    edge = EdgeUpsert("SPOKEN_BY", "Experience", "e", "Person", "p", {})
    assert with_identities(edge, DIRECTORY).target == "q"
    other = EdgeUpsert("NEXT", "Experience", "p", "Experience", "p", {})
    assert with_identities(other, DIRECTORY) == other


def test_a_person_has_all_their_names_and_what_is_their_own():
    node = NodeUpsert("Person", "p", {"name": "Bob"})
    names = {"name": "Robert", "aliases": ["Bob", "Stein"]}
    assert with_identities(node, DIRECTORY) == NodeUpsert("Person", "q", names)


def test_what_the_other_one_was_to_the_agent_stays():
    other = NodeUpsert("Relationship", relationship_id("p"), {"kind": "primary", "since": "now"})
    assert with_identities(other, DIRECTORY) == NodeUpsert("Relationship", relationship_id("q"), {})
    own = NodeUpsert("Relationship", relationship_id("q"), {"kind": "primary"})
    assert with_identities(own, DIRECTORY) == own
    edge = EdgeUpsert(
        "UNDERWENT", "Relationship", relationship_id("p"), "Transition", "t", {"weight": 1.0}
    )
    assert with_identities(edge, DIRECTORY).source == relationship_id("q")


def test_what_says_only_a_name_has_it_looked_up():
    node = with_identities(NodeUpsert("Person", "q", {"space": "home"}), DIRECTORY)
    assert node.properties["name"] == "Robert"
    assert node.properties["aliases"] == ["Bob", "Stein"]


def test_other_nodes_stay_as_they_are():
    node = NodeUpsert("Entity", "p", {"name": "Bob"})
    assert with_identities(node, DIRECTORY) == node
