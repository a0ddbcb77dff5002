"""Passes: behind a cursor, in batches, each written with its cursor or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import Unavailable
from meridia.core.types import Entry, EntryKind, Space
from meridia.ingest.enrichment.passes import PassResult, is_captured, position, run_pass
from tests.drafts import a_draft
from tests.fakes import private_journal
from tests.graph.journal_drafts import HOME, message_draft
from tests.histories import an_entry


@dataclass
class Noting:
    """A pass that notes what it works on and meets somebody for each captured message."""

    name: str = "noting"
    version: int = 1
    batch: int = 2
    end: int | None = None
    worked: list[list[int]] = field(default_factory=list)
    file: object = None

    def until(self, space: Space) -> int:
        return self.file.journal.head(space).seq if self.end is None else self.end

    def concerns(self, entry: Entry) -> bool:
        return is_captured(entry)

    def work(self, space: Space, entries: Sequence[Entry]) -> PassResult:
        self.worked.append([entry.seq for entry in entries])
        return [a_draft(EntryKind.PERSON_MET, f"p-{e.seq}", {"of": e.id}) for e in entries], None


def met(file) -> list[str]:
    return [entry.key for entry in file.journal.of_kind(HOME, EntryKind.PERSON_MET)]


def say(file, count: int) -> None:
    for number in range(count):
        file.journal.append(HOME, [message_draft(f"text {number}")])


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(1, 5))
def test_every_entry_that_concerns_it_is_worked_on_once_and_in_order(kinds, batch):
    with private_journal() as file:
        for place, captured in enumerate(kinds):
            other = a_draft(EntryKind.MEMORIES_ASSOCIATED, f"a-{place}", {"related": []})
            file.journal.append(HOME, [message_draft(f"text {place}") if captured else other])
        of = Noting(batch=batch, file=file)
        assert run_pass(file, HOME, of)
        wanted = [place + 1 for place, captured in enumerate(kinds) if captured]
        assert [seq for seqs in of.worked for seq in seqs] == wanted
        assert all(len(seqs) <= batch for seqs in of.worked)
        assert position(file, HOME, of) == file.journal.head(HOME).seq
        assert met(file) == [f"p-{seq}" for seq in wanted]


def test_it_goes_no_further_than_it_may(private_file):
    say(private_file, 5)
    of = Noting(file=private_file, end=3)
    assert run_pass(private_file, HOME, of)
    assert of.worked == [[1, 2], [3]]
    assert position(private_file, HOME, of) == 3
    of.end = None
    assert run_pass(private_file, HOME, of)
    assert of.worked[2:] == [[4, 5]]


def test_it_stops_between_batches_when_told(private_file):
    say(private_file, 5)
    of, turns = Noting(file=private_file), iter([True, False])
    assert not run_pass(private_file, HOME, of, lambda: next(turns))
    assert (of.worked, position(private_file, HOME, of)) == ([[1, 2]], 2)


def test_another_version_begins_again_and_what_is_there_stays(private_file):
    say(private_file, 3)
    run_pass(private_file, HOME, Noting(file=private_file))
    before = private_file.journal.head(HOME)
    again = Noting(version=2, file=private_file)
    assert position(private_file, HOME, again) == 0
    run_pass(private_file, HOME, again)
    assert again.worked == [[1, 2], [3]]
    assert private_file.journal.head(HOME) == before, "the same keys are not appended twice"


def test_passes_of_other_names_do_not_move_each_other(private_file):
    say(private_file, 2)
    run_pass(private_file, HOME, Noting(file=private_file))
    assert position(private_file, HOME, Noting(name="other")) == 0


def test_what_cannot_be_written_moves_no_cursor(private_file):
    class Breaking(Noting):
        def work(self, space: Space, entries: Sequence[Entry]) -> PassResult:
            def fail(*_: object) -> None:
                raise Unavailable("the disk is busy")

            return super().work(space, entries)[0], fail

    say(private_file, 2)
    of = Breaking(file=private_file)
    with pytest.raises(Unavailable):
        run_pass(private_file, HOME, of)
    assert (position(private_file, HOME, of), met(private_file)) == (0, [])
    assert run_pass(private_file, HOME, Noting(file=private_file))


def test_a_copy_that_was_overtaken_is_thrown_away(private_file):
    class Overtaken(Noting):
        def work(self, space: Space, entries: Sequence[Entry]) -> PassResult:
            if len(self.worked) == 0:
                run_pass(private_file, HOME, Noting(file=private_file, batch=3))
            drafts, _ = super().work(space, entries)
            return [a_draft(EntryKind.PERSON_MET, f"late-{d.key}", {}) for d in drafts], None

    say(private_file, 3)
    assert run_pass(private_file, HOME, Overtaken(file=private_file))
    assert met(private_file) == ["p-1", "p-2", "p-3"]


def test_it_tells_how_far_it_is(private_file):
    say(private_file, 3)
    reports: list[tuple[int, int]] = []
    of = Noting(file=private_file)
    run_pass(private_file, HOME, of, progress=lambda done, total: reports.append((done, total)))
    assert reports[0] == (0, 3)
    assert reports == sorted(reports)
    assert reports[-1][0] == reports[-1][1] >= 3


def test_an_erased_experience_is_none():
    assert is_captured(an_entry(EntryKind.EXPERIENCE_CAPTURED, {"event": {}}))
    assert not is_captured(an_entry(EntryKind.EXPERIENCE_CAPTURED, None))
    assert not is_captured(an_entry(EntryKind.PERSON_MET, {}))
