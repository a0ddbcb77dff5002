"""Lines of packs that claim something, beside labels of work logs and of parts of sets."""

from __future__ import annotations

import json

import pytest

from bench.truth.claims import LABELS, LOGS, LabelledTalk, claims, logs, set_parts, told_in


@pytest.mark.thorough
def test_most_lines_of_the_packs_of_work_logs_are_true():
    told = [claim for claim in claims() if claim.told]
    assert {claim.kind for claim in told} == {LOGS}
    assert len(told) >= 6
    assert sum(claim.is_so for claim in told) >= 0.85 * len(told)


@pytest.mark.thorough
def test_every_label_of_a_log_is_a_claim_that_is_told_or_missed():
    wanted = sum("asked" in labels for talk in logs() for labels in talk.labels.values())
    asked = [claim for claim in claims() if claim.label == "asked" and claim.is_so]
    assert wanted <= len(asked)


def test_what_a_pack_tells_under_a_heading_is_found_by_its_message():
    messages = [
        {"text": "Never call me before nine.", "person": "Mia", "session": "1", "id": "a"},
        {"text": "Understood.", "role": "assistant", "session": "1", "id": "b"},
        {"text": "The tram was late today.", "person": "Mia", "session": "1", "id": "c"},
    ]
    assert told_in(LabelledTalk("test", messages)) == {("a", "asked")}


def test_the_parts_of_sets_are_read_by_their_ids(tmp_path):
    parts = (line for line in _labels() if line[2] == "part")
    sets: dict[str, list[dict[str, object]]] = {}
    for place, part, _ in parts:
        name, space = place.split("/")
        memories = [
            {
                "id": id,
                "text": id,
                "person": "P",
                "session": "s",
                "role": "user",
                "at": "2024-01-01",
            }
            for id in ("before", *dict.fromkeys(part.split("..")), "after")
        ]
        sets.setdefault(name, []).append({"id": space, "memories": memories})
    for name, spaces in sets.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"spaces": spaces}), "utf-8")
    talks = [*set_parts(tmp_path)]
    assert len(talks) == sum(map(len, sets.values()))
    assert all(len(talk.messages) == 2 and talk.labels for talk in talks)


def _labels() -> list[list[str]]:
    return [line.split("\t") for line in LABELS.read_text("utf-8").splitlines()]
