"""Chats of people as text."""

from __future__ import annotations

import io
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.importers.chat_texts import language_of
from meridia.ingest.importers.format_detection import detect
from meridia.ingest.importers.import_reader import ImportReader, read

# WhatsApp: a conversation in any form of its export gives the same speakers, texts and times.

NARROW = "\u202f"


def clock12(at: datetime, am: str, pm: str, blank: str = " ") -> str:
    return f"{at.hour % 12 or 12}:{at:%M}{blank}{am if at.hour < 12 else pm}"


#: How the head of a message is written, by phone and country.
FORMS = {
    "German iOS": lambda at: f"[{at:%d.%m.%y, %H:%M:%S}] ",
    "German Android": lambda at: f"{at:%d.%m.%y, %H:%M} - ",
    "British": lambda at: f"{at:%d/%m/%Y, %H:%M} - ",
    "American": lambda at: f"{at.month}/{at.day}/{at:%y}, {clock12(at, 'AM', 'PM', NARROW)} - ",
    "American iOS": lambda at: (
        f"[{at.month}/{at.day}/{at:%y}, {at.hour % 12 or 12}:{at:%M:%S}{NARROW}{at:%p}] "
    ),
    "Indian": lambda at: f"{at:%d/%m/%y}, {clock12(at, 'am', 'pm', NARROW)} - ",
    "Spanish": lambda at: f"{at.day}/{at.month}/{at:%y}, {clock12(at, 'a. m.', 'p. m.')} - ",
    "Brazilian": lambda at: f"{at:%d/%m/%Y %H:%M} - ",
    "French": lambda at: f"{at:%d/%m/%Y} à {at:%H:%M} - ",
    "Dutch": lambda at: f"{at:%d-%m-%Y %H:%M} - ",
    "Dutch iOS": lambda at: f"[{at:%d-%m-%Y %H:%M:%S}] ",
    "Turkish": lambda at: f"{at:%d.%m.%Y %H:%M} - ",
    "Turkish 12": lambda at: f"{at:%d.%m.%Y} {clock12(at, 'ÖÖ', 'ÖS')} - ",
    "Finnish": lambda at: f"{at.day}.{at.month}.{at:%Y} klo {at:%H.%M} - ",
    "Swedish": lambda at: f"{at:%Y-%m-%d %H:%M} - ",
    "Canadian": lambda at: f"[{at:%Y-%m-%d}, {at:%H:%M:%S}] ",
    "Japanese": lambda at: f"{at:%Y/%m/%d}, {at:%H:%M} - ",
    "Hungarian": lambda at: f"{at:%Y. %m. %d}. {at:%H:%M} - ",
    "Korean": lambda at: (
        f"{at.year}. {at.month}. {at.day}. {'오전' if at.hour < 12 else '오후'} "
        f"{at.hour % 12 or 12}:{at:%M} - "
    ),
}
NAMES = st.sampled_from(["Dana", "Kim Lee", "+49 151 5550142", "Zoë 🌊", "Müller-Lüd, Ada"])
WORDS = st.text("abc äßé:!?.,()-/0123456789\n😀", min_size=1, max_size=60)
TEXTS = WORDS.map(lambda text: f"x{text}".strip())
START = datetime(2026, 1, 20, 8, 0, tzinfo=UTC)
CONVERSATIONS = st.lists(
    st.tuples(NAMES, TEXTS, st.integers(0, 3_000)), min_size=8, max_size=30
).map(lambda turns: [*turns, ("Dana", "x", 9_000)] * 4)  # over more than twelve days


def reading(text: str) -> ImportReader:
    return read(io.BytesIO(text.encode()))


def messages(text: str) -> list[tuple[Any, ...]]:
    with reading(text) as records:
        assert records.format == "whatsapp"
        return [
            (r.event.person, r.event.payload["text"], r.event.ts) if r.event else (r.problem,)
            for r in records
        ]


@pytest.mark.parametrize("form", FORMS)
@given(turns=CONVERSATIONS)
def test_every_form_gives_the_same_speakers_texts_and_times(
    form: str, turns: list[tuple[str, str, int]]
) -> None:
    at, body, expected = START, "", []
    for name, text, minutes in turns:
        at += timedelta(minutes=minutes)
        body += f"{FORMS[form](at)}{name}: {text}\n"
        expected.append((name, text, at))
    assert messages(body) == expected


@pytest.mark.parametrize("form", ["German iOS", "Spanish", "American"])
def test_what_the_app_says_is_told_by_its_shape_and_counted(form: str) -> None:
    at = FORMS[form](datetime(2026, 3, 21, 10, 0, tzinfo=UTC))
    body = (
        f"{at}Nachrichten und Anrufe sind verschlüsselt.\n"
        f"{at}Dana hat die Gruppe „Boot: Berlin“ erstellt\n"
        f"{at}Boot: \u200eMessages and calls are end-to-end encrypted. Nobody can read them.\n"
        f"{at}Dana: <Medien ausgeschlossen>\n"
        f"{at}Dana: \u200eBild weggelassen\n"
        f"{at}Kim: Look: <b> is bold\n"
        f"{at}Kim: later \u200e<This message was edited>\n"
        f"{at}Kim: \u200e<attached: 00000012-PHOTO-2026-03-01.jpg>\n"
        f"{at}Kim: IMG-20260301-WA0001.jpg (Datei angehängt)\nThe mast.\n"
    )
    with reading(body) as records:
        events = [record.event for record in records if record.event]
    assert [event.payload["text"] for event in events] == [
        *("Look: <b> is bold", "later", "", "The mast.")
    ]
    assert [event.artifacts[0].uri for event in events[2:]] == [
        *("00000012-PHOTO-2026-03-01.jpg", "IMG-20260301-WA0001.jpg")
    ]
    assert dict(records.report.skipped) == {"system lines": 3, "'media omitted'": 2}


@pytest.mark.parametrize(
    ("body", "days", "remark"),
    [
        ("13/01/26, 9:05 - A: x\n02/02/26, 9:05 - A: y\n", [(1, 13), (2, 2)], None),
        ("1/13/26, 9:05 - A: x\n2/3/26, 9:05 - A: y\n", [(1, 13), (2, 3)], None),
        ("03/01/26, 9:05 - A: x\n01/02/26, 9:05 - A: y\n", [(1, 3), (2, 1)], "ascend"),
        ("3/1/26, 9:05 PM - A: x\n", [(3, 1)], "read as month/day"),
        ("3/1/26, 9:05 pm - A: x\n", [(1, 3)], "read as day/month"),
        ("3.1.26, 9:05 - A: x\n", [(1, 3)], None),
    ],
)
def test_day_and_month_are_decided_over_the_file_or_it_is_said(
    body: str, days: list[tuple[int, int]], remark: str | None
) -> None:
    with reading(body) as records:
        dates = [record.event.ts for record in records if record.event]
    assert [(at.month, at.day) for at in dates if at] == days
    remarks = " ".join(records.report.remarks)
    assert ("could be either" in remarks) == (remark is not None)
    assert (remark or "") in remarks


def test_the_language_is_named_and_the_grown_or_shifted_file_keeps_its_ids() -> None:
    turns = [
        ("Dana", "Wir haben das Boot nicht gefunden, aber ich war auch nicht da."),
        ("Kim", "Dann machen wir das noch einmal mit der Karte, oder?"),
        ("Dana", "Ja."),
        ("Dana", "Ja."),
    ]
    lines = [f"01.03.26, 10:0{n} - {name}: {text}\n" for n, (name, text) in enumerate(turns)]
    lines.append(lines[-1])
    ids = [record.event and record.event.id for record in reading("".join(lines))]
    assert len(set(ids)) == 5
    shifted = reading("".join(lines[1:]))
    assert [record.event and record.event.id for record in shifted] == ids[1:]
    assert list(shifted.report.read_as) == ["WhatsApp (German)"]


def test_a_dialogue_with_iso_times_in_brackets_is_none() -> None:
    assert detect(b"[2026-03-01 10:00] Dana: hi\n[2026-03-01 10:01] Robin: hello\n") == "text"
    assert detect(b"[2026-03-01, 10:00:12] Dana: hi\n") == "whatsapp"


# Chat language

SENTENCES = {
    "German": "ich habe das nicht gesehen und du bist auch noch nicht da",
    "English": "i have not seen it and you are not there with the others",
    "Spanish": "no lo he visto y tú tampoco estás con los otros en la casa",
    "Portuguese": "não vi isso e você também não está com os outros na casa",
    "Italian": "non ho visto questo e anche tu non sei con gli altri nella casa",
    "French": "je ne suis pas avec les autres et tu es dans la maison",
    "Dutch": "ik heb het niet gezien en jij bent ook niet bij de anderen",
    "Turkish": "ben bunu çok gördüm ama sen de onlar için bir şey değil mi",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_language_is_told_by_its_function_words(language: str) -> None:
    assert language_of(Counter(re.findall(r"\w+", SENTENCES[language]))) == language


def test_few_words_or_names_alone_tell_nothing() -> None:
    assert language_of(Counter(["the", "and"])) is None
    assert language_of(Counter(["odile", "robin", "segel", "mast", "kiel", "boje"])) is None
