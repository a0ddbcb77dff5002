"""The trace stream: every decision, in order, by space, without what was said."""

from __future__ import annotations

from datetime import timedelta

import pytest

from meridia.core.errors import Damaged, InvalidInput, MeridiaError, NotFound
from meridia.core.time import to_text
from meridia.core.types import EntryKind, Space
from meridia.storage import trace
from tests.drafts import a_draft
from tests.fakes import START, numbered, private_journal
from tests.graph.journal_drafts import AWAY, HOME, message_draft, person_draft


def lines(file, space=HOME, after=0):
    return [(line.kind, line.decision, line.subject) for line in file.trace.read(space, after)]


def test_the_journal_traces_nothing_by_itself(private_file):
    private_file.journal.append(HOME, [message_draft("one", "m-1"), person_draft("Dana")])
    assert lines(private_file) == []


def test_a_decision_is_undone_with_the_transaction_that_it_was_part_of(private_file):
    private_file.journal.append(HOME, [message_draft("one", "m-1")])

    def refused() -> None:
        with private_file.database.writing():
            private_file.trace.write(HOME, "event", "capture", "m-2", {})
            private_file.journal.append(HOME, [message_draft("other", "m-1")])

    with pytest.raises(MeridiaError):
        refused()
    assert lines(private_file) == []


def test_a_decision_can_be_added_where_a_transaction_is_open(private_file):
    private_file.journal.append(HOME, [message_draft()])
    numbered(private_file).trace(START, ("gate", "deny", None), {"why": "é"})
    (line,) = private_file.trace.read(HOME)
    assert (line.kind, line.decision, line.subject) == ("gate", "deny", None)
    assert (line.at, line.detail) == (to_text(START), {"why": "é"})


def test_decisions_of_a_kind_are_found_by_time_whatever_the_space(private_file):
    for space in (HOME, AWAY):
        private_file.journal.append(space, [message_draft()])
    for space, kind, hours in (
        (1, "model", 0),
        (2, "model", 1),
        (1, "gate", 1),
        (1, "model", 2),
    ):
        at = START + timedelta(hours=hours)
        numbered(private_file, space).trace(at, (kind, "asked", None), {"hours": hours})
    since = private_file.trace.since("model", START + timedelta(hours=1))
    assert since == [(START + timedelta(hours=hours), {"hours": hours}) for hours in (1, 2)]
    assert private_file.trace.since("rumour", START) == []


def test_decisions_come_back_in_order_with_their_details(private_file):
    private_file.journal.append(HOME, [message_draft()])
    detail = {"why": "naïve", "limit": 3, "nested": {"b": [1], "a": None}}
    private_file.trace.write(HOME, "gate", "deny", "x-1", detail)
    private_file.trace.write(HOME, "gate", "allow", None, {})
    denied, allowed = private_file.trace.read(HOME)
    assert (denied.kind, denied.decision, denied.subject) == ("gate", "deny", "x-1")
    assert denied.detail == detail
    assert denied.number < allowed.number
    assert denied.at < allowed.at
    assert list(denied.as_json()) == ["number", "at", "kind", "decision", "subject", "detail"]


def test_reading_goes_on_behind_any_line_and_over_any_page(private_file, monkeypatch):
    monkeypatch.setattr(trace, "_PAGE", 3)
    private_file.journal.append(HOME, [message_draft()])
    for i in range(7):
        private_file.trace.write(HOME, "note", str(i), None, {})
    numbers = [line.number for line in private_file.trace.read(HOME)]
    assert len(numbers) == 7
    for place, number in enumerate(numbers):
        rest = [line.number for line in private_file.trace.read(HOME, number)]
        assert rest == numbers[place + 1 :]


def test_a_space_reads_only_its_own_stream_and_recalls(private_file):
    for space in (HOME, AWAY):
        private_file.journal.append(space, [message_draft()])
        private_file.trace.write(space, "note", f"of {space}", None, {})
        private_file.trace.keep_recall(space, f"recall of {space}", {"question": space})
    assert lines(private_file, AWAY) == [("note", "of away", None)]
    assert private_file.trace.find_recall(HOME, "recall of away") is None
    assert private_file.trace.find_recall(AWAY, "recall of away") == {"question": "away"}


def test_a_space_that_does_not_exist_has_no_stream(private_file):
    with pytest.raises(NotFound):
        private_file.trace.write(HOME, "note", "x", None, {})
    with pytest.raises(NotFound):
        lines(private_file)
    with pytest.raises(NotFound):
        private_file.trace.find_recall(HOME, "x")


def test_a_recall_is_kept_as_it_was_answered(private_file):
    private_file.journal.append(HOME, [message_draft()])
    body = {"question": "où? 東", "results": [{"score": 0.1 + 0.2, "why": None}]}
    private_file.trace.keep_recall(HOME, "r-1", body)
    assert private_file.trace.find_recall(HOME, "r-1") == body


def test_a_recall_is_never_replaced(private_file):
    private_file.journal.append(HOME, [message_draft()])
    private_file.trace.keep_recall(HOME, "r-1", {"question": "first"})
    with pytest.raises(MeridiaError):
        private_file.trace.keep_recall(HOME, "r-1", {"question": "second"})
    assert private_file.trace.find_recall(HOME, "r-1") == {"question": "first"}


def test_a_question_that_is_no_text_is_refused(private_file):
    private_file.journal.append(HOME, [message_draft()])
    with pytest.raises(InvalidInput):
        private_file.trace.keep_recall(HOME, "r-1", {"question": "\udcff"})


def test_the_newest_kept_recall_of_a_space_is_the_last_one(private_file):
    for space in (HOME, AWAY):
        private_file.journal.append(space, [message_draft(f"hello {space}")])
    assert private_file.trace.last_recall(HOME) is None
    for id, space in (("r-1", HOME), ("r-2", HOME), ("r-3", AWAY)):
        private_file.trace.keep_recall(space, id, {"question": "x"})
    assert private_file.trace.last_recall(HOME) == "r-2"
    assert private_file.trace.last_recall(AWAY) == "r-3"


def test_how_often_each_memory_was_recalled_is_counted_within_a_space(private_file):
    for space in (HOME, AWAY):
        private_file.journal.append(space, [message_draft()])
    for space, number, ids in ((HOME, 1, "ab"), (HOME, 2, "b"), (AWAY, 3, "a")):
        hits = [{"id": id} for id in ids]
        private_file.trace.keep_recall(space, f"recall {number}", {"hits": hits})
    assert private_file.trace.recalled(HOME) == {"a": 1, "b": 2}


def test_the_oldest_recalls_and_lines_are_pruned_within_a_space(private_file):
    trace = private_file.trace
    for space in (HOME, AWAY):
        private_file.journal.append(space, [message_draft()])
        for number in range(5):
            trace.keep_recall(space, f"{space}-{number}", {"hits": []})
            trace.write(space, "note", f"line {number}", None, {})
    assert (trace.prune_recalls(HOME, 2, days=1), trace.prune(HOME, 3, days=1)) == (3, 2)
    assert trace.find_recall(HOME, f"{HOME}-2") is None
    assert trace.last_recall(HOME) == f"{HOME}-4"
    assert lines(private_file)[0] == ("note", "line 2", None)
    assert len(lines(private_file, AWAY)) == 5
    assert trace.find_recall(AWAY, f"{AWAY}-0") is not None


def test_what_is_too_old_is_pruned_though_there_is_room(private_file):
    private_file.journal.append(HOME, [message_draft()])
    for number in range(3):
        private_file.trace.keep_recall(HOME, f"r-{number}", {"hits": []})
        private_file.trace.write(HOME, "note", f"line {number}", None, {})
    moment = -1e-9
    assert private_file.trace.prune_recalls(HOME, 100, moment) == 3
    assert private_file.trace.prune(HOME, 100, moment) == 3


def test_a_packed_line_that_was_changed_is_damage(private_file):
    private_file.journal.append(HOME, [message_draft("one", "m-1")])
    private_file.trace.write(HOME, "event", "capture", None, {"threshold": 0.7})
    with private_file.database.writing() as connection:
        connection.execute("UPDATE trace SET detail = x'ffff'")
    with pytest.raises(Damaged, match="is damaged"):
        list(private_file.trace.read(HOME))


def test_kept_recalls_are_listed_newest_first_by_space(private_file):
    for space in (HOME, AWAY):
        private_file.journal.append(space, [message_draft(f"hello {space}")])
    for number in range(1, 4):
        body = {"question": f"{number}?", "hits": [1] * number}
        private_file.trace.keep_recall(HOME, f"r-{number}", body)
    private_file.trace.keep_recall(AWAY, "r-9", {"question": "x", "hits": []})
    listed = private_file.trace.recalls(HOME, 2)
    assert [(row.id, row.question, row.memories) for row in listed] == [
        ("r-3", "3?", 3),
        ("r-2", "2?", 2),
    ]
    assert [row.id for row in private_file.trace.recalls(HOME, 2, before="r-2")] == ["r-1"]


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
