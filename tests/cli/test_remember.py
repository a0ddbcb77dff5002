"""`remember`, `update` and `history` from outside."""

from __future__ import annotations


def test_a_memory_is_remembered_corrected_and_both_are_shown(meridia, tmp_path):
    db = ("--db", str(tmp_path / "m.db"))
    said = meridia("remember", "The race is on the 12th.", "--person", "Dana", "--meta", "n=2", *db)
    assert said.out == "@1  captured\n"
    assert meridia("update", "@1", "The race is on the 13th.", *db).status == 0
    texts = [version["text"] for version in meridia("history", "@1", *db, "--json").json]
    assert texts == ["The race is on the 12th.", "The race is on the 13th."]
    listed = meridia("list", "--where", "n>=2", *db, "--json").json["memories"]
    assert [memory["text"] for memory in listed] == texts[1:]
    assert meridia("list", "--where", "n>2", *db, "--json").json["memories"] == []


def test_what_cannot_be_remembered_says_why(meridia, tmp_path):
    db = ("--db", str(tmp_path / "m.db"))
    empty = meridia("remember", " ", *db)
    assert (empty.status, "text is empty" in empty.err) == (2, True)
    nameless = meridia("remember", "3 failed", "--role", "tool", *db)
    assert (nameless.status, "tool=NAME" in nameless.err) == (2, True)
    assert meridia("update", "@7", "x", *db).status == 3
    wrong = meridia("list", "--where", "nothing", *db)
    assert (wrong.status, "key>=value" in wrong.err) == (2, True)
