"""What is missing of memories costs little: a small space of our own, stripped in part."""

from __future__ import annotations

import random

import pytest

from bench.strip import stripped
from meridia import Memory
from meridia.core.events import parse_event
from meridia.ingest.importers.import_record import ImportRecord

THINGS = ["kayak", "piano", "greenhouse", "telescope", "caravan", "beehive", "loom", "harp"]
PEOPLE = ["Ana", "Ben", "Cleo", "Dov"]


def records() -> list[ImportRecord]:
    """Two people a session talk of a thing each, between chatter."""
    events = []
    for number, thing in enumerate(THINGS):
        pair = PEOPLE[number % 4], PEOPLE[(number + 1) % 4]
        said = ["Good morning to you.", "How was your week?", f"I finally repaired the {thing}."]
        said += ["That took long.", "Shall we eat something?", "Yes, let us go."]
        for place, text in enumerate(said):
            fields = {"id": f"{number}/{place}", "kind": "user_message", "payload": {"text": text}}
            fields |= {"person": pair[place % 2], "session": {"key": f"s{number}"}}
            events.append(ImportRecord("", parse_event(fields), None))
    return events


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_evidence_is_found_whatever_else_is_known_of_it(share):
    draw = random.Random(3)
    evidence = {f"{number}/2" for number in range(len(THINGS))}
    lacking = {id for id in sorted(evidence) if draw.random() < share}
    with Memory.open(enrich="manual") as memory:
        memory.import_records(stripped(records(), lambda record: record.event.id in lacking))
        memory.enrich()
        for number, thing in enumerate(THINGS):
            hits = memory.recall(f"What did {PEOPLE[number % 4]} do with the {thing}?").hits
            assert f"{number}/2" in [hit.event_id for hit in hits[:3]]
