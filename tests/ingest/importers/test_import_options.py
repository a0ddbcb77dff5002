"""Import options"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from meridia.core.events import Event, EventKind
from meridia.ingest.importers.import_options import ImportOptions, role_of
from meridia.ingest.importers.import_reader import read
from tests.ingest.importers.samples import DATA, SAMPLES, TEXT_SAMPLES

AT = datetime(2026, 3, 1, tzinfo=UTC)


def events(file: str, options: ImportOptions | None = None) -> list[Event]:
    return [record.event for record in read(DATA / file, options=options) if record.event]


@pytest.mark.parametrize(("file", "name"), SAMPLES + TEXT_SAMPLES)
def test_options_fill_in_what_is_missing_and_overwrite_nothing(file: str, name: str) -> None:
    plain = events(file)
    filled = events(file, ImportOptions("Zed", AT))
    for before, after in zip(plain, filled, strict=True):
        assert after.ts == (before.ts or AT)
        unnamed = before.kind is EventKind.USER_MESSAGE and before.person is None
        assert after.person == ("Zed" if unnamed else before.person)
        assert (after.id, after.payload, after.session) == (
            before.id,
            before.payload,
            before.session,
        )


def test_a_name_of_any_format_is_given_a_role() -> None:
    names = {event.person for event in events("locomo.json")} - {None}
    name = min(str(name) for name in names)
    changed = events("locomo.json", ImportOptions(mapping={name: "assistant"}))
    assert {event.person for event in changed} - {None} == names - {name}
    assert EventKind.ASSISTANT_MESSAGE in {event.kind for event in changed}


def test_what_is_mapped_and_not_there_is_told() -> None:
    options = ImportOptions(mapping={"Odile": "user", "Nobody": "skip"})
    with read(DATA / "dialogue.txt", options=options) as reading:
        list(reading)
        assert reading.unmatched == {"Nobody"}


def test_words_for_roles_are_told_in_any_case() -> None:
    assert [role_of(word) for word in ("Human", "AI", "system", "Observation", "Dana")] == [
        "user",
        "assistant",
        "system",
        "tool",
        None,
    ]
