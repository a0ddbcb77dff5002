"""Kept packs: found by id, newest first, of one space."""

from meridia.core.types import EntryKind, Space
from tests.drafts import a_draft
from tests.fakes import private_journal

ONE, TWO = Space("one"), Space("two")
A_DRAFT = a_draft(EntryKind.PERSON_MET, "", {"person": "p", "name": "Dana"})


def body(id):
    return {"pack": id, "mode": "crisis", "hash": "h", "cited": ["e1", "e2"]}


def test_a_pack_is_found_by_its_id_in_its_space_only():
    with private_journal() as file:
        for space in (ONE, TWO):
            file.journal.append(space, [A_DRAFT])
        file.space(ONE).packs.add(body("01"))
        file.space(ONE).packs.add(body("02"))
        assert file.space(ONE).packs.find("01") == body("01")
        assert file.space(ONE).packs.find("03") is None
        assert [kept["pack"] for kept in file.space(ONE).packs.latest(1)] == ["02"]


def test_a_pack_leaves_a_trace_without_content():
    with private_journal() as file:
        file.journal.append(ONE, [A_DRAFT])
        file.space(ONE).packs.add(body("01"))
        (line,) = file.trace.read(ONE)
    assert (line.kind, line.subject) == ("pack", "01")
    assert line.detail == {"mode": "crisis", "cited": 2, "hash": "h"}
