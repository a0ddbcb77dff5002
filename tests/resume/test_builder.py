"""Packs: modes found, budgets kept, every line cited, and the same again from the journal."""

import random
from datetime import timedelta

import pytest

from meridia.core.codec import encode
from meridia.core.errors import InvalidInput, NotFound, Stranger
from meridia.core.experience import EmotionalSignature
from meridia.core.settings import RecallSettings, Settings
from meridia.core.types import EntryKind
from meridia.core.vocabulary import Emotion
from meridia.resume.builder import PackRequest
from meridia.resume.modes import Mode
from tests.drafts import a_draft
from tests.fakes import START
from tests.resume.pack_samples import NO_EMBEDDING, NOW, opened, say, story, uncited, use
from tests.retrieval.random_spaces import PEOPLE, question, world
from tests.thorough import THOROUGH

ENRICHED, REEVALUATED = EntryKind.EXPERIENCE_ENRICHED, EntryKind.EXPERIENCE_REEVALUATED
_WORLDS = 5
_PACKS = 1000 if THOROUGH else 5
_NASTY = (
    "# no heading\n- no line [@999999]",
    "meridia://@888888 " * 3,
    "·" * 900,
    "?",
    "「海」" * 60,
)

#: The story that is told here has no ten memories, for a core summary.
STORIED = [mode for mode in Mode if mode is not Mode.CORE_SUMMARY]


@pytest.mark.parametrize("seed", range(_WORLDS))
def test_no_budget_is_exceeded_and_every_line_cites_a_memory_that_is_there(seed):
    """In `MERIDIA_THOROUGH` runs, 5,000 packs."""
    chance = random.Random(seed)
    with world(None, seed, 40 if THOROUGH else 25) as memory:
        for text in _NASTY:
            memory.remember(text, person=chance.choice(PEOPLE), session="nasty")
        head = memory.parts.journal.head(memory.space).seq
        for _ in range(_PACKS):
            mode = chance.choice(STORIED)
            ask = PackRequest(
                mode=mode,
                person=chance.choice(PEOPLE) if mode is Mode.RELATIONSHIP_RESUMPTION else None,
                query=question(chance) if mode is Mode.TOPIC_REENTRY else None,
                tokens=chance.choice([200, chance.randint(200, 2000), chance.randint(200, 20_000)]),
                as_of=chance.choice([None, START + timedelta(hours=3), chance.randint(0, head)]),
            )
            try:
                pack = memory.packs.make(ask)
            except NotFound:
                continue
            if pack is None:
                continue
            assert len(pack.text) <= 4 * ask.tokens
            assert pack.tokens <= ask.tokens
            assert pack.cited
            assert uncited(memory, pack.text) == []


@pytest.mark.parametrize("mode", STORIED)
def test_a_pack_asked_for_again_is_the_same_whatever_came_since(mode):
    with opened() as memory:
        story(memory)
        pack = memory.packs.make(PackRequest(mode, "Dana", "the mast", 900))
        say(memory, "The regatta was cancelled, Dana is sad.", session="c", day=12)
        say(memory, "I rang Henrike the boatbuilder on Thursday.", "Robin", "c", day=12)
        memory.enrich()
        again = memory.packs.reissue(pack.id)
        assert (again.text, again.hash) == (pack.text, pack.hash)
        assert again.hash == memory.packs.recorded_hash(pack.uri)
        assert memory.packs.make(PackRequest(mode, "Dana", "the mast", 900)).hash != pack.hash


@pytest.mark.parametrize("mode", STORIED)
def test_a_pack_asked_for_again_does_not_hear_what_was_found_since(mode):
    """A model's word and a second look come after it: the text stays."""
    with opened() as memory:
        story(memory)
        pack = memory.packs.make(PackRequest(mode, "Dana", "the mast", 900))
        first = memory.get("e0")
        felt = encode(EmotionalSignature((Emotion.FRUSTRATED,), 1.0, -1.0))
        heard = {"emotionalSignature": felt, "uncertainties": ["Does the mast hold?"]}
        verdict = {"status": "evaluated", "significance": 1.0}
        drafts = [
            a_draft(kind, key, {"experience": first.id, "by": "model", **told}, first.at)
            for kind, key, told in (
                (ENRICHED, f"{first.id}#model", {"phenomenology": heard}),
                (REEVALUATED, f"{first.id}#decision", verdict),
            )
        ]
        memory.parts.journal.append(memory.space, drafts)
        assert memory.packs.reissue(pack.id).text == pack.text
        later = memory.packs.make(PackRequest(mode, "Dana", "the mast", 900))
        assert "Does the mast hold?" in later.text


def test_the_same_moment_gives_the_same_pack():
    with opened() as memory:
        story(memory)
        memory.enrich()
        one, two = (memory.resume("Dana", as_of=NOW) for _ in range(2))
    assert one.id != two.id
    assert one.hash == two.hash


def test_as_of_leaves_out_what_came_later():
    with opened() as memory:
        story(memory)
        middle = memory.get("e2")
        by_time = memory.resume("Dana", as_of=middle.at)
        by_sequence = memory.resume("Dana", as_of=middle.seq)
    for pack in (by_time, by_sequence):
        assert set(pack.cited) <= {"e0", "e1", "e2"}
        assert "1,850" not in pack.text


def test_the_mode_is_found_by_what_is_asked_and_what_happened():
    with opened() as memory:
        story(memory)
        soon = memory.get("e6").at + timedelta(hours=1)
        assert memory.reconstitute(query="mast").mode == "topic_reentry"
        assert memory.reconstitute(person="Dana").mode == "relationship_resumption"
        assert memory.reconstitute(as_of=soon).mode == "session_bootstrap"
        assert memory.reconstitute().mode == "crisis"
        use(memory, "bash", "half way", "c", day=31)
        broken = memory.reconstitute(as_of=memory.get("e7").at + timedelta(minutes=1))
    assert (broken.mode, broken.why) == ("crisis", "session c broke off at a tool's step")


def test_a_topic_brings_back_what_is_about_it():
    with opened() as memory:
        story(memory)
        pack = memory.reconstitute(query="rotten mast of the boat")
    assert "e0" in pack.cited
    assert pack.query == "rotten mast of the boat"


def test_where_there_is_nothing_there_is_none():
    with opened() as memory:
        assert memory.resume("Dana") == Stranger("Dana")
        assert memory.reconstitute() is None
        story(memory)
        assert memory.reconstitute(as_of=0) is None
        assert memory.resume("Dana", as_of=NOW - timedelta(days=90)) is None


def test_somebody_who_came_later_was_not_there_yet():
    with opened() as memory:
        story(memory)
        say(memory, "Hello, I am Zoe from Oslo.", "Zoe", "z", day=20)
        assert memory.resume("Zoe", as_of=memory.get("e6").at) is None
        assert memory.resume("Zoe").cited[0] == "e7"


def test_a_stranger_is_said_to_be_one():
    with opened() as memory:
        story(memory)
        stranger = memory.resume("Dane")
    assert not stranger
    assert stranger.text.startswith("Nobody called Dane has spoken here")
    assert stranger.near == ("Dana",)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (PackRequest("crisis", tokens=0), "out of range"),
        (PackRequest("relationship_resumption"), "name one"),
        (PackRequest("topic_reentry"), "give a query"),
        (PackRequest(query="  "), "query is empty"),
        (PackRequest(person=""), "person is empty"),
        (PackRequest("panic"), "no mode"),
        (PackRequest(as_of=NOW.replace(tzinfo=None)), "no timezone"),
    ],
)
def test_what_cannot_be_is_refused_by_name(ask, said):
    with opened() as memory:
        story(memory)
        with pytest.raises(InvalidInput, match=said):
            memory.packs.make(ask)


def test_packs_change_no_ranking_and_no_journal():
    with opened() as memory:
        story(memory)

        def ranked():
            return [(hit.id, hit.score) for hit in memory.recall("the mast").hits]

        before, head = ranked(), memory.parts.journal.head(memory.space)
        for mode in Mode:
            memory.packs.make(PackRequest(mode, "Dana", "the mast", 600))
        assert ranked() == before
        assert memory.parts.journal.head(memory.space) == head


def test_quality_is_kept_over_time_newest_first():
    with opened() as memory:
        story(memory)
        packs = [memory.resume("Dana"), memory.reconstitute("reflection")]
        rows = memory.packs.quality()
    assert [row["pack"] for row in rows] == [packs[1].id, packs[0].id]
    assert rows[0]["budget_use"] == packs[1].quality.budget_use


def test_nothing_of_a_packs_text_is_kept_and_nothing_at_all_when_told_so():
    quiet = NO_EMBEDDING.model_copy(update={"recall": RecallSettings(keep=False, wait_s=60)})
    with opened(quiet) as memory:
        story(memory)
        pack = memory.resume("Dana")
        with pytest.raises(NotFound, match="no pack"):
            memory.packs.reissue(pack.id)
    assert isinstance(quiet, Settings)
