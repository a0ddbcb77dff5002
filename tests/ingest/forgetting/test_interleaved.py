"""What is forgotten while others work on the same file stays out, whenever that happens."""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.settings import EmbeddingSettings, Settings
from tests.fakes import FakeEmbedder, TickingClock
from tests.thorough import THOROUGH

_SETTINGS = Settings(embedding=EmbeddingSettings(batch=2))
_SAID = {
    "Dana": "I sail the Aurora with Quentin Marsh from Hardanger.",
    "Eva": "My brother Tiberius Lund lives in Rome.",
    "Kim": "I work with Ophelia Grant at Nordwind.",
}
#: Words that nobody else says.
_OWN = {
    "Dana": ("Aurora", "Quentin", "Marsh", "Hardanger"),
    "Eva": ("Tiberius", "Lund", "Rome"),
    "Kim": ("Ophelia", "Grant", "Nordwind"),
}


def _opened(path: Path, clock: TickingClock) -> Memory:
    return Memory(path, "default", _SETTINGS, clock, embedder=FakeEmbedder())


def _stored(memory: Memory) -> str:
    entries = memory.parts.journal.read(memory.space, 0, 10_000)
    return repr([entry.payload for entry in entries]) + repr(memory.people.known().people)


@settings(max_examples=200 if THOROUGH else 6, deadline=None)
@given(held=st.integers(0, 12), who=st.sampled_from(sorted(_SAID)))
def test_a_worker_that_was_held_up_brings_nothing_back(held: int, who: str):
    clock = TickingClock()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        with _opened(path, clock) as working, _opened(path, clock) as other:
            for number in range(2):
                for person, words in _SAID.items():
                    working.remember(f"{words} ({number})", person=person, session=f"s{number}")
            steps = count()

            def hold() -> None:
                if next(steps) == held:
                    clock.now += timedelta(hours=5)  # longer than a lease, as of a laptop asleep
                    other.forget(person=who)

            other.background.stop()
            other.background.manual = False  # it leaves the rest to the one that is held up
            working.background.pause = hold
            working.enrich()
            if next(steps) <= held:
                other.forget(person=who)
            working.enrich()
            told = _stored(working)
            assert [word for word in (who, *_OWN[who]) if word in told] == []
            assert not working.upkeep.verify()


@settings(max_examples=100 if THOROUGH else 3, deadline=None)
@given(gone=st.sampled_from(sorted(_SAID)), back=st.booleans())
def test_who_comes_back_is_met_anew_whichever_process_forgot(gone: str, back: bool):
    derived = []
    for is_reopened in (False, True):
        clock = TickingClock()
        with TemporaryDirectory() as folder:
            path = Path(folder) / "journal.db"
            with _opened(path, clock) as other:
                reading = _opened(path, clock)
                for person, words in _SAID.items():
                    reading.remember(words, person=person)
                reading.enrich()
                other.forget(person=gone)
                if is_reopened:
                    reading.close()
                    reading = _opened(path, clock)
                for person, words in _SAID.items():
                    if back or person != gone:
                        reading.remember(f"Again: {words}", person=person)
                reading.enrich()
                derived.append(reading.graph.counts())
                reading.close()
    assert derived[0] == derived[1]
