"""The store of a space: bound to one space, whatever came and went."""

from __future__ import annotations

import pytest

from meridia.core.errors import NotFound
from meridia.core.ids import content_hash, owner_id
from meridia.core.types import Space
from tests.fakes import START
from tests.graph.journal_drafts import AWAY, HOME
from tests.histories import HistoryEvent, capture


def test_each_space_has_a_store_of_its_own(private_file):
    (id,) = capture(private_file.journal, HOME, HistoryEvent("the boat is painted"))
    capture(private_file.journal, AWAY, HistoryEvent("far away"))
    home, away = private_file.space(HOME), private_file.space(AWAY)
    assert (home.name, away.name) == (HOME, AWAY)
    assert private_file.space(HOME) is home
    asked = (content_hash("the boat is painted"), "user_message", owner_id(HOME))
    assert (home.first_with_text(*asked), away.first_with_text(*asked)) == (id, None)
    assert home.tally().statuses == {"evaluated": 1}


def test_a_space_that_was_undone_is_not_there(private_file):
    nowhere = Space("nowhere")

    def broken() -> None:
        with private_file.journal.appending(nowhere):
            assert private_file.space(nowhere).name == nowhere
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken()
    with pytest.raises(NotFound):
        private_file.space(nowhere)


def test_decisions_are_traced_in_the_space(private_file):
    capture(private_file.journal, HOME, HistoryEvent("one"))
    private_file.space(HOME).trace(START, ("event", "capture", None), {"why": "new"})
    (line,) = private_file.trace.read(HOME)
    assert (line.kind, line.decision, line.detail) == ("event", "capture", {"why": "new"})
