"""A session's boundaries, and what is planned or out of use, are candidates of no answer."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from meridia import Memory
from meridia.core.settings import RecallSettings, Settings
from meridia.storage.statement_loader import migrations
from meridia.storage.upkeep import rebuild_lists

BOUNDARIES = (
    {"phase": "start"},
    {"phase": "end"},
    {"boundary": "end", "text": "The end of the evening with the telescope."},
    {"type": "compaction", "text": "compacted: telescope, tripod, evening"},
    {"reason": "clear"},
)
INACTIVE = (
    {"status": "deprecated"},
    {"status": " Planned "},
    {"status": "inactive"},
    {"document": {"status": "draft"}},
    {"document": json.dumps({"status": "deprecated"})},
)
ACTIVE = ({"status": "open"}, {"document": {"status": "active"}}, {"document": "5"}, {})
VAGUE = ("What happened at the end of the evening?", "end", "telescope", "Anything new?")
PROFILES = (
    *(RecallSettings(profile=profile) for profile in ("default", "reference", "simple")),
    *(RecallSettings(policy="walk"), RecallSettings(policy="sample"), RecallSettings(rerank=True)),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("boundaries") / "j.db"
    with Memory(path, "home", Settings()) as memory:
        for night in range(3):
            session = {"key": f"night {night}"}
            for text in (f"We saw Saturn in the telescope, night {night}.", "The tripod broke."):
                memory.remember(text, person="Dana", session=session["key"])
            for payload in BOUNDARIES:
                event = {"kind": "session_boundary", "payload": payload, "session": session}
                memory.capture(event)
        for number, metadata in enumerate((*INACTIVE, *ACTIVE)):
            text = f"The telescope rule number {number}: clean the lens at the end."
            memory.remember(text, id=f"rule {number}", metadata=metadata)
        memory.enrich()
    return path


@pytest.mark.parametrize(
    "recall", PROFILES, ids="default reference simple walk sample rerank".split()
)
def test_no_profile_recalls_a_boundary_or_what_is_out_of_use(path: str, recall: RecallSettings):
    with Memory(path, "home", Settings(recall=recall)) as memory:
        for question in VAGUE:
            hits = memory.recall(question, limit=100).hits
            assert {hit.memory.kind for hit in hits} <= {"user_message"}
            assert not {hit.memory.event_id for hit in hits} & retired()


def retired() -> set[str]:
    return {f"rule {number}" for number in range(len(INACTIVE))}


def test_what_is_in_use_is_recalled_and_a_status_that_is_asked_for_is_shown(path: str):
    with Memory(path, "home", Settings()) as memory:
        used = {f"rule {len(INACTIVE) + number}" for number in range(len(ACTIVE))}
        assert used <= {hit.memory.event_id for hit in memory.recall(VAGUE[2], limit=100).hits}
        for where in ({"status": "deprecated"}, {"OR": [{"status": {"eq": "deprecated"}}]}):
            shown = memory.recall("telescope rule", where=where).hits
            assert [hit.memory.event_id for hit in shown] == ["rule 0"]


def test_why_not_says_so(path: str):
    with Memory(path, "home", Settings()) as memory:
        answer = memory.recall("telescope")
        boundary = memory.list(kind="session_boundary").memories[0]
        for id, reason in ((boundary.id, "session boundary"), ("rule 0", "out of use")):
            assert reason in memory.reasons.why_not(answer.id, id).because[0]


def test_they_are_listed_and_stay_what_they_are_after_a_rebuild(path: str):
    with Memory(path, "home", Settings()) as memory:
        listed = [each.event_id for each in memory.list(limit=1000).memories]
        assert retired() <= set(listed)
        assert len(memory.list(kind="session_boundary").memories) == 3 * len(BOUNDARIES)
        traits = "SELECT seq, traits FROM experience ORDER BY seq"
        before = memory.parts.database.connection.execute(traits).fetchall()
        with memory.parts.database.writing() as connection:
            connection.execute("UPDATE experience SET traits = traits & 127")
            for statement in migration():
                connection.execute(statement)
        assert memory.parts.database.connection.execute(traits).fetchall() == before
        rebuild_lists(memory.parts, memory.space)
        assert memory.parts.database.connection.execute(traits).fetchall() == before


def migration() -> tuple[str, ...]:
    return dict(migrations())["0025_boundaries"]
