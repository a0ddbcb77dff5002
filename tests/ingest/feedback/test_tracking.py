"""Reference tracking: what was shown, and what the agent says of it until the session ends."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from meridia import Memory
from meridia.core.settings import Settings
from meridia.core.types import EntryKind
from meridia.ingest.feedback.tracking import IGNORED, REFERENCED
from tests.drafts import recorded
from tests.fakes import SeededBytes, TickingClock


class Meanings:
    """Embeds a text as told: by the first of some words that stands in it."""

    model, dimension = "meanings:4:1", 4

    def __init__(self, *groups: tuple[str, ...]) -> None:
        self._groups = groups

    def embed(self, texts):
        rows = np.zeros((len(texts), 4), np.float32)
        for row, text in enumerate(texts):
            places = [n for n, g in enumerate(self._groups) if any(w in text for w in g)]
            rows[row, places[0] if places else 3] = 1
        return rows


class Life:
    """A memory with an agent in it; `s1` is over, and `s2` goes on."""

    def __init__(self, memory: Memory, clock: TickingClock) -> None:
        self.memory, self.clock = memory, clock

    def user(self, text: str, session: str = "s2", person: str = "Dana") -> str:
        return self._say("user_message", text, session, person=person)

    def agent(self, text: str, session: str = "s2") -> str:
        return self._say("assistant_message", text, session)

    def _say(self, kind: str, text: str, session: str, **more: Any) -> str:
        event = {"kind": kind, "payload": {"text": text}, "session": {"key": session}, **more}
        event |= {"metadata": {"important": True}, "ts": self.clock.now.isoformat()}
        return self.memory.capture(event).id

    def end(self, session: str = "s2") -> list[dict[str, Any]]:
        """End a session; return what feedback was given in it."""
        self._say("session_boundary", "over", session)
        self.memory.parts.journal.head(self.memory.space)
        self.memory.reasons.record("last")  # waits until the answers are kept
        self.memory.enrich()
        return self.given()

    def given(self) -> list[dict[str, Any]]:
        entries = self.memory.parts.journal.of_kind(self.memory.space, EntryKind.FEEDBACK_GIVEN)
        return [recorded(entry) for entry in entries]


@pytest.fixture
def life():
    clock = TickingClock()
    meanings = Meanings(("sail", "canvas"), ("bread", "loaf"))
    with Memory(None, "home", Settings(), clock, SeededBytes(), embedder=meanings) as memory:
        opened = Life(memory, clock)
        for text in ("The sail of my boat is torn; a loft in Bergen mends it.", "I bake bread."):
            opened.user(text, "s1")
        memory.enrich()
        yield opened


def test_row_58_what_the_agent_refers_to_by_its_words_is_referenced_the_rest_ignored(life):
    life.user("What should I do?")
    answer = life.memory.recall("What should Dana do about the boat?")
    life.agent("Ask the loft in Bergen.")
    (payload,) = life.end()
    sail, bread = (hit.id for hit in sorted(answer.hits, key=lambda h: h.memory.seq)[:2])
    assert payload["reconstitution"] == answer.id
    assert payload["shown"] == [hit.id for hit in answer.hits if hit.id in (sail, bread)]
    assert payload["referenced"] == [sail]
    assert payload["anchors"] == ["bergen", "loft"]
    assert payload["auto_score"] == 0.5
    assert payload["effects"] == {sail: ["referenced", REFERENCED], bread: ["ignored", IGNORED]}
    assert payload["by"] == "rule"


def test_row_61_the_row_in_the_table_has_the_hit_rate_as_auto_score(life):
    life.user("What should I do?")
    answer = life.memory.recall("What should Dana do about the boat?")
    life.agent("Ask the loft in Bergen.")
    life.end()
    (row,) = life.memory.feedback.newest()
    assert (row.reconstitution_id, row.mode, row.auto_score) == (answer.id, "recall", 0.5)
    assert (row.records_injected, row.records_referenced) == (2, 1)
    (rate,) = life.memory.feedback.rates()
    assert (rate.mode, rate.observed, rate.hit_rate) == ("recall", 1, 0.5)


def test_row_58_a_pack_is_followed_like_a_recall(life):
    pack = life.memory.resume("Dana")
    life.user("Hello again.")
    life.agent("Did the loft in Bergen mend it?")
    life.user("x")
    life.memory.recall("x")
    payload = next(p for p in life.end() if p["reconstitution"] == pack.id)
    assert payload["mode"] == life.memory.feedback.newest()[-1].mode != "recall"
    assert len(payload["referenced"]) == 1


def test_row_58_what_is_said_in_other_words_is_found_by_its_vector(life):
    life.user("Hm.")
    life.memory.recall("anything about canvases")
    life.agent("Your canvas can be sewn.")
    (payload,) = life.end()
    assert len(payload["referenced"]) == 1
    assert payload["anchors"] == []


def test_words_that_were_in_the_question_or_said_before_prove_nothing(life):
    life.user("A loft somewhere, was it Bergen?")
    life.memory.recall("Which loft in Bergen mends a sail that is torn?")
    life.agent("A loft in Bergen, I think.")
    (payload,) = life.end()
    assert payload["referenced"] == []
    assert payload["auto_score"] == 0


def test_one_word_alone_is_no_reference_and_no_proof_that_it_was_ignored(life):
    life.user("Hm.")
    answer = life.memory.recall("anything")
    life.agent("Perhaps a loft.")
    (payload,) = life.end()
    assert payload["referenced"] == []
    (bread,) = (hit.id for hit in answer.hits if "bread" in hit.text)
    assert payload["effects"] == {bread: ["ignored", IGNORED]}


def test_row_58_one_sentence_of_a_long_answer_is_a_reference_to_the_sentence_encoder():
    with Memory(None, "home", Settings(), TickingClock(), SeededBytes()) as memory:
        life = Life(memory, memory._clock)
        used = life.user("My flight to Lisbon was moved to Thursday at 6 am.", "s1")
        unclear = life.user("My boat needs new paint before the regatta.", "s1")
        unused = life.user("I bake bread on Sundays.", "s1")
        memory.enrich()
        life.user("What must I do this week?")
        memory.recall("Anything for this week?")
        life.agent(
            "You leave for Portugal very early on Thursday. I set the alarm to half past three. "
            "The workshop over in Norway that repairs your canvas should be able to help again."
        )
        (payload,) = life.end()
    assert payload["referenced"] == [used]
    assert payload["effects"] == {
        used: ["referenced", REFERENCED],
        unused: ["ignored", IGNORED],
    }, f"{unclear} is near enough not to be punished"


def test_where_the_agent_said_nothing_afterwards_there_is_no_feedback(life):
    life.user("Hm.")
    life.memory.recall("boat")
    life.user("The loft in Bergen mends my sail.")
    assert life.end() == []


def test_what_is_said_in_another_session_or_hours_later_is_no_answer(life):
    life.user("Hm.")
    life.memory.recall("boat")
    life.memory.reasons.record("last")
    life.user("Another matter.", "s3", "Kim")
    life.agent("Ask the loft in Bergen.")
    assert life.end() == []
    life.memory.recall("boat")
    life.memory.reasons.record("last")
    life.clock.now += timedelta(hours=2)
    life.agent("Ask the loft in Bergen.", "s3")
    assert life.end("s3") == []


def test_asking_again_and_again_counts_once(life):
    life.user("Hm.")
    asked = [life.memory.recall("anything about what is torn") for _ in range(4)]
    life.agent("Ask the loft in Bergen.")
    payloads = life.end()
    assert [payload["reconstitution"] for payload in payloads] == [answer.id for answer in asked]
    given = [id for payload in payloads for id in payload["effects"]]
    assert len(given) == len(set(given)) == 2
    assert payloads[-1]["effects"]


def test_row_59_the_first_reply_is_compared_with_those_of_earlier_sessions_with_the_person(life):
    for session, reply in (("s1", "How are you? I missed you!"), ("s4", "How is it? I see you!")):
        life.user("Hello.", session)
        life.agent(reply, session)
    life.user("Hello again.")
    life.memory.recall("boat")
    life.agent("How was it? I hope you are well!")
    payload = next(p for p in life.end() if p["reconstitution"])
    assert payload["style"]["similarity"] > 0.7
    assert payload["style"]["replies"] == 2
    assert payload["note"].startswith("style continuity 0.")


def test_a_rebuild_asks_no_encoder_and_gives_the_same_feedback_once(life):
    life.user("Hm.")
    life.memory.recall("anything")
    life.agent("Your canvas can be sewn.")
    before = life.end()
    table = life.memory.feedback.newest()
    life.memory.upkeep.rebuild()
    life.memory.enrich()
    assert life.given() == before
    assert life.memory.feedback.newest() == table
