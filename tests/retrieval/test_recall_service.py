"""Views in memory follow the journal."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore

from meridia import Memory
from meridia.core.settings import EmbeddingSettings, Settings
from meridia.retrieval.recall_service import _UNSTORED_MAX


def test_what_was_just_remembered_is_found_by_meaning():
    with Memory(None, "s", Settings()) as memory:
        memory.remember("My sister adopted a kitten last week.", person="Mira", session="a")
        assert memory.recall("a young cat joined the family").hits[0].text.startswith("My sister")
        memory.remember("The engine of the lorry broke down.", person="Mira", session="a")
        found = memory.recall("trouble with a truck's motor").hits[0]
        assert found.text.startswith("The engine")
        assert any(leaf.label == "close in meaning" for leaf in found.trace.leaves())


def test_two_memories_over_one_file_see_each_others_events(tmp_path):
    path = tmp_path / "a.db"
    with Memory(path, "s", Settings()) as one, Memory(path, "s", Settings()) as two:
        one.remember("The lighthouse is painted white.", id="w")
        assert two.recall("white lighthouse").hits[0].event_id == "w"
        two.remember("The harbour wall is red.", id="r")
        assert one.recall("red harbour wall").hits[0].event_id == "r"


def test_an_answer_says_what_time_it_took(demo: Memory):
    timings = demo.recall("boat").timings_ms
    assert set(timings) == {"embed", "views", "core", "texts"}
    assert all(value >= 0 for value in timings.values())


class Room(Semaphore):
    """Room for answers that opens a gate as soon as somebody has to wait for it."""

    def __init__(self, gate):
        super().__init__(_UNSTORED_MAX)
        self.gate = gate

    def acquire(self):
        if not super().acquire(blocking=False):
            self.gate.set()
            super().acquire()


def test_answers_that_wait_to_be_written_down_are_few_however_many_are_asked():
    with Memory(None, "s", Settings(embedding=EmbeddingSettings(enabled=False))) as memory:
        memory.remember("The boat is red.")
        recalls, gate, waiting = memory._components.recalls, Event(), []
        keeper = recalls._keeper
        store, keeper.room = recalls._store, Room(gate)

        def store_later(*arguments):
            if not waiting:
                gate.wait(20)
            waiting.append(keeper.writer._work_queue.qsize())
            store(*arguments)

        recalls._store = store_later
        with ThreadPoolExecutor(1) as pool:
            asked = {answer.id for answer in pool.map(memory.recall, ["boat"] * 40)}
        recalls.flush()
        assert gate.is_set()
        assert len(waiting) == 40
        assert max(waiting) < _UNSTORED_MAX
        assert {row.id for row in memory.reasons.newest(40)} == asked


def test_an_answer_of_nothing_says_whom_or_what_a_filter_names_in_vain():
    with Memory(None, "s", Settings()) as memory:
        memory.remember("The wall is red.", person="Mira", session="a")
        memory.enrich()
        assert memory.recall("wall", person="Mira", session="a").notes == []
        (note,) = memory.recall("wall", person="Mirra").notes
        assert "Nobody called Mirra has spoken here" in note
        assert note.endswith("did you mean Mira?")
        (note,) = memory.recall("wall", person="mira", session="b").notes
        assert "nothing is remembered of session 'b'" in note
        assert memory.recall("wall", person="Mira", since="2031-01-01").notes == []
