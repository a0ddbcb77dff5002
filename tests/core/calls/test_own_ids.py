"""An id of a caller's own stands for one content."""

from __future__ import annotations

import pytest

from meridia.core.calls.own_ids import check_same_content
from meridia.core.entries import EntitiesUnmerged, ExperienceCaptured
from meridia.core.errors import Conflict

EVENT = {"id": "e", "kind": "user_message", "payload": {"text": "A heron."}}


def test_what_was_decided_about_an_event_is_no_part_of_its_content():
    stored, again = ExperienceCaptured(EVENT), ExperienceCaptured(EVENT, duplicate_of="another")
    check_same_content("e", stored, again, "home")
    with pytest.raises(Conflict, match="event id 'e' is already taken in space 'home'"):
        check_same_content("e", stored, ExperienceCaptured({**EVENT, "person": "Dana"}), "home")


def test_any_other_entry_is_compared_whole():
    check_same_content("k", EntitiesUnmerged("a", by="user"), EntitiesUnmerged("a", by="user"), "s")
    with pytest.raises(Conflict, match="id 'k' is already taken"):
        check_same_content(
            "k", EntitiesUnmerged("a", by="user"), EntitiesUnmerged("b", by="user"), "s"
        )
