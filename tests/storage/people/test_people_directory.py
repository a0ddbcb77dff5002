"""Who is who in a space, as it is read."""

from __future__ import annotations

import json

from meridia import Memory


def test_a_name_leads_to_all_under_which_somebody_spoke():
    with Memory.open() as memory:
        memory.remember("I fix clocks.", person="Bob")
        memory.remember("I live in Bergen.", person="Robert Stein")
        memory.curation.people.merge("Bob", "Robert Stein")
        identities = memory.parts.space(memory.space).identities
        both = json.loads(identities.members("Robert Stein"))
        assert len(both) == 2
        assert json.loads(identities.members("bob")) == both
        assert len(json.loads(identities.members("nobody at all"))) == 1
        assert list(identities.merges()) == both[1:]
