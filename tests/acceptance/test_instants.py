"""Memories of any instant that there is: none of them keeps the others from being read."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from meridia import Memory
from meridia.core.errors import NotFound
from meridia.core.settings import EmbeddingSettings, RecallSettings, Settings
from tests.thorough import THOROUGH

_SETTINGS = Settings(embedding=EmbeddingSettings(enabled=False), recall=RecallSettings(wait_s=60))
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_SAID = (
    "Remind me in three days to call Jonas back.",
    "I will send you the draft tomorrow.",
    "I have lived in Bergen since last year.",
    "What did I say yesterday?",
)
_ANCHORED = (
    "What happened three days after I was asked to call Jonas back?",
    "What did I do two years before I was asked to call Jonas back?",
)
instants = st.one_of(
    st.integers(0, 10**11).map(lambda us: _FIRST + timedelta(microseconds=us)),
    st.integers(0, 10**11).map(lambda us: _LAST - timedelta(microseconds=us)),
    st.sampled_from([_FIRST, _LAST, datetime(1969, 12, 31, 23, 59, 59, 999999, UTC)]),
    st.datetimes(timezones=st.just(UTC)),
)


@settings(
    max_examples=150 if THOROUGH else 4, deadline=None, phases=(Phase.explicit, Phase.generate)
)
@given(st.lists(instants, min_size=1, max_size=3), instants)
def test_what_happened_at_any_instant_can_be_asked_about(times: list[datetime], point: datetime):
    with Memory(None, "default", _SETTINGS) as memory:
        for number, at in enumerate(times):
            for place, text in enumerate(_SAID):
                memory.remember(text, at=at, session=f"s{number}" if place else None)
            memory.remember("I will look into it tomorrow.", at=at, role="assistant", session="s0")
        memory.remember("The heron nests behind the mill.", person="Dana")
        memory.enrich()
        assert memory.enrichment.unread(memory.space) == 0
        for question in ("Where does the heron nest?", "What happened yesterday?", *_ANCHORED):
            memory.recall(question, as_of=point)
            memory.recall(question, since=min(times), until=max(times))
        assert memory.recall("Where does the heron nest?").hits[0].memory.person == "Dana"
        for mode in ("session_bootstrap", "relationship_resumption", "crisis", None):
            for as_of in (point, None):
                with suppress(NotFound):  # Dana, who is not known by then
                    memory.reconstitute(mode, person="Dana", query="heron", as_of=as_of)
        memory.reflect()
        memory.plan("What happened yesterday?")
        memory.query("MATCH (n) RETURN n")
        memory.enrich(again=True)
        assert not memory.upkeep.verify()
        memory.forget(before=point)
