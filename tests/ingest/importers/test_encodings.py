"""Encodings"""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.errors import InvalidInput
from meridia.ingest.importers.import_reader import read
from meridia.ingest.importers.import_record import ImportSource, wide_text


@given(st.text(st.characters(exclude_categories=["Cs"])), st.booleans(), st.integers(2, 40))
def test_a_text_in_utf_16_is_read_whole_wherever_it_is_cut(
    text: str, big: bool, begun: int
) -> None:
    body = ("\ufeff" + text).encode("utf-16-be" if big else "utf-16-le")
    assert b"".join(wide_text("utf-16", [body[:begun], body[begun:]])).decode("utf-8") == text


def test_what_is_no_utf_16_costs_one_sign() -> None:
    pieces = wide_text("utf-16", [b"\xff\xfea\0", b"\x3d\xd8b\0"])
    assert b"".join(pieces).decode("utf-8") == "a�b"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_events_in_utf_16_are_read_and_it_is_told(encoding: str) -> None:
    line = '{"kind": "user_message", "payload": {"text": "Zażółć 🎻"}}\n'
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    records = read(io.BytesIO((mark + line * 3000).encode(encoding)))
    events = [record.event for record in records]
    assert [event and event.payload["text"] for event in events] == ["Zażółć 🎻"] * 3000
    assert any("UTF-16" in line for line in records.report.lines())


def test_lines_are_those_of_the_text() -> None:
    source = ImportSource(io.BytesIO("one\u2028more\ntwo\n".encode("utf-16")), "x")
    assert source.readline(100).decode("utf-8") == "one\u2028more\n"
    assert source.readline(100) == b"two\n"


#: What people write in an older encoding, not used to choose anything.
WRITTEN = [
    (
        "cp1252",
        "Søren: Jeg kommer på lørdag, hvis det ikke regner.\nÅse: Så ses vi ved åen kl. 8.\n",
    ),
    ("cp1252", "Zoë: J’ai trouvé la clé près de l’évier.\nBenoît: Merci, c’est gentil à toi !\n"),
    ("cp1250", "Zdeněk: Přijedu v pátek, přivezu buchty.\nJiří: Výborně, těším se na ně.\n"),
    ("cp1251", "Олег: Поезд приходит в восемь утра.\nИрина: Я встречу тебя на вокзале.\n"),
    ("cp1253", "Ελένη: Το λεωφορείο φεύγει στις οκτώ.\nΝίκος: Θα σε περιμένω εκεί.\n"),
    ("cp1256", "سلمى: القطار يصل في الثامنة صباحا.\nكريم: سأنتظرك في المحطة.\n"),
    ("cp932", "健太: 明日の朝八時に駅で会いましょう。\n美咲: はい、楽しみにしています。\n"),
    ("gb18030", "小明: 我们明天早上八点在车站见面吧。\n小红: 好的，我会准时到的。\n"),
    ("cp949", "민수: 내일 아침 여덟 시에 역에서 만나요.\n지은: 네, 시간 맞춰 갈게요.\n"),
]


@pytest.mark.parametrize(("encoding", "text"), WRITTEN)
def test_a_text_in_an_older_encoding_is_read_and_it_is_told(encoding: str, text: str) -> None:
    said = [tuple(line.split(": ")) for line in text.splitlines()]
    table = "speaker,text\n" + "".join(f'{who},"{what}"\n' for who, what in said)
    records = read(io.BytesIO(table.encode(encoding)))
    events = [record.event for record in records]
    assert [(event.person, event.payload["text"]) for event in events if event] == said
    assert any(f"read as {encoding}" in line for line in records.report.lines())
    written = [r.event.payload["text"] for r in read(io.BytesIO(text.encode(encoding))) if r.event]
    assert all(what in "".join(written) for _, what in said)


def test_a_broken_byte_in_utf_8_costs_one_sign() -> None:
    records = read(io.BytesIO("Grüße aus Köln, schön hier \x00.".encode().replace(b"\0", b"\xfc")))
    assert [r.event and r.event.payload["text"] for r in records] == [
        "Grüße aus Köln, schön hier \ufffd."
    ]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32"])
def test_wide_characters_are_known_without_a_mark_too(encoding: str) -> None:
    text = "Zoë: Is the sea rough, größer than yesterday?\nJürgen: No, come at 8 €.\n"
    events = [record.event for record in read(io.BytesIO(text.encode(encoding)))]
    assert [event and event.person for event in events] == ["Zoë", "Jürgen"]


def test_a_text_with_some_nul_is_a_text_and_one_full_of_them_is_not() -> None:
    (record,) = read(io.BytesIO(b"found ./a\0 and ./b\0 in the folder, as the log says\n"))
    assert record.event is not None
    assert record.event.payload["text"].count("␀") == 2
    with pytest.raises(InvalidInput, match="is binary"):
        read(io.BytesIO(b"ab\0\1\2\0\3" * 9))
