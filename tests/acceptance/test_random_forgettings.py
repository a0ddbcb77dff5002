"""After forgettings in any history, every list and the graph equal a rebuild, and no byte is left.

Each text has a word that stands nowhere else; what is forgotten is looked for by its words.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from meridia import Memory
from meridia.core.errors import MeridiaError
from meridia.core.settings import EmbeddingSettings, GraphSettings, Settings
from meridia.storage.copies.comparison import fingerprints
from tests.neo4j_server import Neo4jServer
from tests.thorough import THOROUGH

pytestmark = pytest.mark.timeout(3600)

PLAIN = Settings(embedding=EmbeddingSettings(enabled=False))
#: Who speaks, and who is only told something; None is the owner.
PEOPLE = ("Dana", "dana", "Kim", "Robin", "Łucja", None)
SESSIONS = ("s1", "s2", None)
TEXTS = (
    "I live in {word} and I am so happy.",
    "My dog is called {word}, and I love it.",
    "I promise to send {word} to the harbour on Friday.",
    "My name is Holt, and my sister {word} moved to Bergen.",
    "What a sad day: {word} is broken again. Where did we put it?",
    "Robin and Kim met {word} of Meridia in Bergen.",
    "The heron stands near the kettle.",
)
number = st.integers(0, 40)
said = st.tuples(
    st.just("say"),
    st.sampled_from(PEOPLE),
    st.sampled_from(SESSIONS),
    st.sampled_from(TEXTS),
    st.sampled_from(["user", "user", "assistant", "tool"]),
)
others = st.one_of(
    st.tuples(st.sampled_from(["update", "upsert", "feedback", "relate", "learn"]), number, number),
    st.tuples(st.sampled_from(["merge", "unmerge", "merge entities", "name"]), number, number),
    st.tuples(
        st.sampled_from(["enrich", "end", "recall", "resume", "plan", "project", "again"]), number
    ),
)
forgotten = st.one_of(
    st.tuples(st.just("ids"), number),
    st.tuples(st.just("ids"), number),
    st.tuples(st.just("person"), number),
    st.tuples(st.just("session"), number),
    st.tuples(st.just("kind"), number),
)
histories = st.lists(
    st.one_of(said, said, said, others, st.tuples(st.just("forget"), forgotten)),
    min_size=6,
    max_size=30,
)


class NothingToldError(Exception):
    """There is nothing to choose from."""


class Life:
    """A memory, the words that are planted in it, and those that must be gone."""

    #: Whether nobody else has the file open: then a forgetting leaves nothing for later.
    is_alone = True

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.count = 0
        #: Of each memory, by the caller's id, its words.
        self.told: dict[str, list[str]] = {}
        self.gone: set[str] = set()

    def word(self) -> str:
        self.count += 1
        return f"Zq{self.count:04}xv"

    def live(self, step: tuple[Any, ...]) -> None:
        """Do one thing; what cannot be done in this place is left."""
        how = step[0]
        try:
            if how == "say":
                self._say(*step[1:])
            elif how == "forget":
                self._forget(*step[1])
            else:
                self._others[how](self, *step[1:])
        except (MeridiaError, NothingToldError):
            pass

    def _say(self, person: str | None, session: str | None, text: str, role: str) -> None:
        word = self.word()
        id = f"m-{self.count}"
        tool: dict[str, Any] = {"tool": "bash"} if role == "tool" else {}
        planted = "{word}" in text
        artifacts = [{"uri": f"file:///{word}.png"}] if planted and self.count % 4 == 0 else []
        metadata = {"topic": word} if planted and self.count % 3 == 0 else None
        self.memory.remember(
            text.format(word=word),
            person=None if tool else person,
            session=session,
            id=id,
            role=role,
            artifacts=artifacts,
            metadata=metadata,
            **tool,
        )
        self.told[id] = [word] if planted else []

    def _chosen(self, place: int) -> str:
        if not self.told:
            raise NothingToldError
        return sorted(self.told)[place % len(self.told)]

    def _update(self, place: int, _: int) -> None:
        id, word = self._chosen(place), self.word()
        self.memory.update(id, f"I meant that {word} lies in Oslo.")
        self.told[id].append(word)

    def _upsert(self, place: int, _: int) -> None:
        id, word = self._chosen(place), self.word()
        self.memory.upsert(id, f"Now {word} stays with Kim.")
        self.told[id].append(word)

    def _feedback(self, place: int, other: int) -> None:
        verdict = ("useful", "stale", "wrong")[other % 3]
        if other % 2:
            if (answer := self.memory.recall(" ".join(self._words(place)), limit=4)).hits:
                self.memory.feedback(answer, verdict, note=" ".join(self._words(place)))
        else:
            self.memory.feedback(self._chosen(place), verdict, note=" ".join(self._words(place)))

    def _words(self, place: int) -> list[str]:
        return self.told[self._chosen(place)]

    def _relate(self, place: int, other: int) -> None:
        person = PEOPLE[place % len(PEOPLE)] or "me"
        self.memory.curation.set_relationship(person, ("primary", "collaborator")[other % 2], 0.3)

    def _learn(self, place: int, other: int) -> None:
        self.memory.people.name(PEOPLE[place % 3] or "me", ("Holt", "Dee")[other % 2])

    def _name(self, place: int, other: int) -> None:
        self.memory.people.name("me", ("Holt", "Dee", "Kim")[other % 3])

    def _merge(self, place: int, other: int) -> None:
        one, two = PEOPLE[place % len(PEOPLE)] or "me", PEOPLE[other % len(PEOPLE)] or "me"
        self.memory.people.merge(one, two)

    def _unmerge(self, place: int, _: int) -> None:
        self.memory.people.unmerge(PEOPLE[place % len(PEOPLE)] or "me")

    def _merge_entities(self, place: int, other: int) -> None:
        self.memory.enrich()
        listed = self.memory.parts.space(self.memory.space).entities.list_all()
        if listed:
            one, two = listed[place % len(listed)], listed[other % len(listed)]
            self.memory.curation.merge(one.id, two.id)

    def _end(self, place: int) -> None:
        session = {"key": SESSIONS[place % 2]}
        end = {"kind": "session_boundary", "payload": {"phase": "end"}, "session": session}
        self.memory.capture(end)
        self.memory.enrich()

    _others: ClassVar[dict[str, Callable[..., Any]]] = {
        "update": _update,
        "upsert": _upsert,
        "feedback": _feedback,
        "relate": _relate,
        "learn": _learn,
        "name": _name,
        "merge": _merge,
        "unmerge": _unmerge,
        "merge entities": _merge_entities,
        "end": _end,
        "enrich": lambda self, _: self.memory.enrich(),
        "again": lambda self, _: self.memory.enrich(again=True),
        "recall": lambda self, place: self.memory.recall(f"What of {self._words(place)}?"),
        "resume": lambda self, place: self.memory.resume(PEOPLE[place % len(PEOPLE)] or "me"),
        "plan": lambda self, place: self.memory.plan(f"Tell me of {self._words(place)}."),
        "project": lambda self, _: self.memory.graph.project(),
    }

    def _forget(self, by: str, place: int) -> None:
        before = {record.event_id for record in self.memory.list(limit=1000).memories}
        asked: dict[str, Any] = {
            "ids": {"ids": [self._chosen(place)]},
            "person": {"person": PEOPLE[place % len(PEOPLE)] or "me"},
            "session": {"session": SESSIONS[place % 2]},
            "kind": {"kind": ("assistant_message", "tool_result")[place % 2]},
        }[by]
        result = self.memory.forget(**asked)
        assert not (self.is_alone and result.notes)
        left = {record.event_id for record in self.memory.list(limit=1000).memories}
        for id in self.told.keys() - left:
            assert id in before
            self.gone |= set(self.told.pop(id))

    def check(self) -> None:
        """Look whether what stays is whole, and what is gone is nowhere."""
        memory = self.memory
        memory.enrich()
        assert [finding.problem for finding in memory.upkeep.verify()] == []
        self.check_bytes()
        stood = self.standing()
        memory.upkeep.rebuild()
        assert self.standing() == stood
        memory.enrich()
        self.check_bytes()

    def standing(self) -> dict[str, Any]:
        memory = self.memory
        digest = memory.graph.digest()
        return fingerprints(memory.parts, memory.space) | {
            "graph": digest,
            "people": memory.people.known().people,
            "memories": [(m.event_id, m.text, m.person) for m in memory.list(limit=1000).memories],
        }

    def check_bytes(self) -> None:
        """Look for the words of what is gone in every file beside the journal."""
        path = self.memory.parts.path
        held = b"".join(f.read_bytes() for f in path.parent.glob(f"{path.name}*") if f.is_file())
        held = held.lower()
        assert [word for word in sorted(self.gone) if word.lower().encode() in held] == []


@contextmanager
def lived(chosen: Settings) -> Iterator[Life]:
    folder = Path(tempfile.mkdtemp(prefix="meridia-forgetting-"))
    try:
        with Memory(folder / "journal.db", "home", chosen) as memory:
            yield Life(memory)
    finally:
        shutil.rmtree(folder)


def check(chosen: Settings, history: list[Any], last: list[Any]) -> None:
    """Live a history, forget, and look."""
    with lived(chosen) as life:
        for step in history:
            life.live(step)
        life.memory.enrich()
        life.memory.graph.project()
        for step in last:
            life.live(("forget", step))
            life.check_bytes()
        life.check()
        life.memory.graph.store().drop()


SAID = ("say", "Dana", "s1", "I live in {word} and I am so happy.", "user")
#: Something of each kind is done.
EVERYTHING = [
    SAID,
    ("say", "Kim", "s2", "I promise to send {word} to the harbour on Friday.", "user"),
    ("say", None, None, "What a sad day: {word} is broken again. Where did we put it?", "user"),
    ("say", "Robin", "s1", "Robin and Kim met {word} of Meridia in Bergen.", "assistant"),
    ("say", None, "s2", "The heron stands near the kettle.", "tool"),
    *((how, 1, 2) for how in ("update", "upsert", "feedback", "relate", "learn", "name")),
    *((how, 1, 3) for how in ("merge", "merge entities", "feedback")),
    *((how, 1) for how in ("enrich", "end", "recall", "resume", "plan", "project", "again")),
    ("forget", ("ids", 2)),
    ("unmerge", 1, 0),
    SAID,
]


@settings(max_examples=400 if THOROUGH else 4)
@example(EVERYTHING, [("person", 0), ("session", 1), ("kind", 1)])
@example([SAID, SAID, ("enrich", 0), ("update", 0, 0), SAID], [("ids", 0)])
@given(histories, st.lists(forgotten, min_size=1, max_size=3))
def test_what_stays_is_whole_and_what_is_gone_is_nowhere(history: list[Any], last: list[Any]):
    check(PLAIN, history, last)


@settings(max_examples=40, phases=tuple(Phase) if THOROUGH else (Phase.explicit,))
@example(EVERYTHING, [("person", 0), ("session", 1)])
@given(histories, st.lists(forgotten, min_size=1, max_size=3))
def test_the_same_on_neo4j(neo4j_server: Neo4jServer, history: list[Any], last: list[Any]):
    graph = GraphSettings(
        engine="neo4j",
        neo4j_uri=neo4j_server.uri,
        neo4j_user=neo4j_server.user,
        neo4j_password=SecretStr(neo4j_server.password),
    )
    check(PLAIN.model_copy(update={"graph": graph}), history, last)
