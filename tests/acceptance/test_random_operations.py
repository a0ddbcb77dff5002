"""Operations in any order, beside a few lines that say what must be true after each.

Versions of each memory in a mapping, nothing else: no journal, no projection, no cache.
"""

from __future__ import annotations

import copy
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import meridia
from meridia import Memory
from meridia.core.settings import EmbeddingSettings, Settings
from tests.thorough import THOROUGH

pytestmark = pytest.mark.timeout(1800)

QUICK = Settings(embedding=EmbeddingSettings(enabled=False))
WORDS = ("heron", "kettle", "harbour", "letter", "market", "bicycle")
PEOPLE = ("Dana", "Robin", "Kim")
word, person, place = st.sampled_from(WORDS), st.sampled_from(PEOPLE), st.integers(0, 99)


class RandomOperations(RuleBasedStateMachine):
    """A memory, and beside it every version of what must be in it, by id."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="meridia-random-"))
        self.path = self.folder / "journal-0.db"
        self.memory = Memory(self.path, "default", QUICK)
        self.count = 0
        self.versions: dict[str, list[str]] = {}
        self.spoken_by: dict[str, str] = {}
        self.gone: dict[str, str] = {}
        self.saved: tuple[Path, tuple[dict[str, list[str]], dict[str, str]]] | None = None

    def teardown(self) -> None:
        self.memory.close()
        shutil.rmtree(self.folder)

    def text(self, word: str) -> str:
        self.count += 1
        return f"{self.count} times the {word} of Bergen, n{self.count}x."

    def chosen(self, place: int) -> str:
        return sorted(self.versions)[place % len(self.versions)]

    @rule(word=word, person=person)
    def remember(self, word: str, person: str) -> None:
        text = self.text(word)
        id = f"m-{self.count}"
        assert self.memory.remember(text, id=id, person=person).event_id == id
        self.versions[id], self.spoken_by[id] = [text], person

    @precondition(lambda self: self.versions)
    @rule(place=place)
    def remember_again(self, place: int) -> None:
        id = self.chosen(place)
        before = self.memory.status().seq
        text, person = self.versions[id][0], self.spoken_by[id]
        assert self.memory.remember(text, id=id, person=person).outcome.value == "redelivered"
        assert self.memory.status().seq == before

    @precondition(lambda self: self.gone)
    @rule(place=place)
    def remember_what_was_forgotten(self, place: int) -> None:
        id = sorted(self.gone)[place % len(self.gone)]
        answer = self.memory.remember(self.gone[id], id=id, person=self.spoken_by[id])
        assert answer.forgotten

    @precondition(lambda self: self.versions)
    @rule(place=place, word=word)
    def update(self, place: int, word: str) -> None:
        id, text = self.chosen(place), self.text(word)
        self.memory.update(id, text)
        self.versions[id].append(text)

    @precondition(lambda self: self.versions)
    @rule(place=place)
    def forget(self, place: int) -> None:
        id = self.chosen(place)
        versions = self.versions.pop(id)
        assert self.memory.forget(ids=[id]).memories == len(versions)
        self.gone[id] = versions[0]

    @precondition(lambda self: self.versions)
    @rule(person=person)
    def forget_a_person(self, person: str) -> None:
        ids = [id for id in self.versions if self.spoken_by[id] == person]
        if ids:
            self.memory.forget(person=person)
        for id in ids:
            self.gone[id] = self.versions.pop(id)[0]

    @rule()
    def back_up(self) -> None:
        self.count += 1
        path = self.folder / f"backup-{self.count}.db"
        self.memory.upkeep.backup(path)
        self.saved = path, copy.deepcopy((self.versions, self.gone))

    @precondition(lambda self: self.saved)
    @rule()
    def restore(self) -> None:
        assert self.saved is not None
        path, stood = self.saved
        self.memory.close()
        self.count += 1
        self.path = self.folder / f"journal-{self.count}.db"
        meridia.restore(path, self.path)
        self.memory = Memory(self.path, "default", QUICK)
        self.versions, self.gone = copy.deepcopy(stood)

    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.memory = Memory(self.path, "default", QUICK)

    @rule()
    def enrich(self) -> None:
        self.memory.enrich()

    @rule()
    def rebuild(self) -> None:
        self.memory.enrich()
        digest = self.memory.graph.digest()
        self.memory.upkeep.rebuild()
        assert self.memory.graph.digest() == digest

    @rule(word=word)
    def recall(self, word: str) -> None:
        texts = {hit.text for hit in self.memory.recall(f"Where is the {word}?", limit=100).hits}
        newest = {versions[-1] for versions in self.versions.values()}
        assert texts <= newest
        assert {text for text in newest if f" {word} " in text} <= texts

    @rule()
    def verify(self) -> None:
        assert self.memory.upkeep.verify() == []

    @invariant()
    def the_list_is_what_must_be(self) -> None:
        listed = [record.text for record in self.memory.list(limit=1000).memories]
        assert sorted(listed) == sorted(versions[-1] for versions in self.versions.values())
        for id, versions in self.versions.items():
            assert [version.text for version in self.memory.history(id)] == versions


class TestRandomOperations(RandomOperations.TestCase):  # type: ignore[misc, name-defined]
    settings = settings(
        max_examples=60 if THOROUGH else 3, stateful_step_count=50 if THOROUGH else 12
    )
