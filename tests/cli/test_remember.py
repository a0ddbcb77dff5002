"""`remember`, `update` and `history` from outside."""

from __future__ import annotations

import pytest


def test_a_memory_is_remembered_corrected_and_both_are_shown(meridia, tmp_path):
    db = ("--db", str(tmp_path / "m.db"))
    said = meridia("remember", "The race is on the 12th.", "--person", "Dana", "--meta", "n=2", *db)
    assert said.out == "@1  kept\n"
    assert meridia("update", "@1", "The race is on the 13th.", *db).status == 0
    texts = [version["text"] for version in meridia("history", "@1", *db, "--json").json]
    assert texts == ["The race is on the 12th.", "The race is on the 13th."]
    listed = meridia("list", "--where", "n>=2", *db, "--json").json["memories"]
    assert [memory["text"] for memory in listed] == texts[1:]
    assert meridia("list", "--where", "n>2", *db, "--json").json["memories"] == []


def test_what_was_taken_out_of_a_memory_is_told(meridia, tmp_path):
    said = meridia("remember", "my password is Walrus!4471", "--db", str(tmp_path / "m.db"))
    assert said.out == "@1  kept; 1 password replaced\n"


def test_what_cannot_be_remembered_says_why(meridia, tmp_path):
    db = ("--db", str(tmp_path / "m.db"))
    empty = meridia("remember", " ", *db)
    assert (empty.status, "text is empty" in empty.err) == (2, True)
    nameless = meridia("remember", "3 failed", "--role", "tool", *db)
    assert (nameless.status, "tool=NAME" in nameless.err) == (2, True)
    for name in ("A\nB", "A\u2028B", "A\x1b[2J"):
        torn = meridia("remember", "Hello", "--person", name, *db)
        assert (torn.status, "must be one line" in torn.err) == (2, True)
    assert meridia("update", "@7", "x", *db).status == 3
    wrong = meridia("list", "--where", "nothing", *db)
    assert (wrong.status, "key>=value" in wrong.err) == (2, True)


@pytest.mark.thorough
def test_every_command_takes_a_rank_of_the_newest_answer(meridia, tmp_path):
    db = ["--db", tmp_path / "m.db"]
    for text in ("The mast is up.", "The tide turns at six."):
        meridia("remember", text, "--person", "Dana", "--session", "s", *db)
    first = meridia("recall", "When does the tide turn?", *db, "--json").json["hits"][0]
    assert meridia("history", "last", "1", *db, "--json").json[0]["text"] == first["text"]
    for command in ("show", "why", "what-if"):
        for words in (["last", "1"], [f"@{first['seq']}"]):
            done = meridia(command, *words, *db)
            assert done.status == 0, done.err
    assert meridia("update", "last", "1", "The tide turns at seven.", *db).status == 0
    assert len(meridia("history", f"@{first['seq']}", *db, "--json").json) == 2
    assert meridia("why-not", f"@{first['seq']}", *db).status == 0
    gone = meridia("forget", "--id", "last 2", "--yes", *db, "--json")
    assert (gone.status, gone.json["memories"]) == (0, 1)


def test_the_agent_is_named_the_same_in_answers_and_lists(meridia, tmp_path):
    db = ["--db", tmp_path / "m.db"]
    meridia("remember", "The kiln is booked for Tuesday.", "--role", "assistant", *db)
    recalled = meridia("recall", "kiln on Tuesday", *db).out
    assert "assistant  2" in recalled
    assert "assistant_message" not in recalled + meridia("list", *db).out


def test_an_answer_is_no_memory(meridia, tmp_path):
    db = ["--db", tmp_path / "m.db"]
    meridia("remember", "The mast is up.", *db)
    refused = meridia("history", "last", "1", *db)
    assert refused.status == 3
    assert "no recall is stored" in refused.err
    meridia("recall", "mast", *db)
    for command in (["history", "last"], ["update", "last", "x"], ["show", "last"]):
        refused = meridia(*command, *db)
        assert refused.status == 2
        assert "write `last 1`" in refused.err
    assert "in quotation marks" in meridia("update", "@1", "two", "words", *db).err


def test_an_address_is_found_in_the_space_that_holds_it(meridia, tmp_path):
    db = ["--db", tmp_path / "m.db"]
    meridia("remember", "Here.", *db)
    meridia("remember", "Elsewhere.", "--space", "away", *db)
    assert meridia("update", "@2", "Farther.", *db).status == 0
    texts = [version["text"] for version in meridia("history", "@2", *db, "--json").json]
    assert texts == ["Elsewhere.", "Farther."]
