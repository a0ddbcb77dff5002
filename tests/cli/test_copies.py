"""`meridia backup`, `restore` and `export`, as they are typed."""

from __future__ import annotations

import networkx as nx

from tests.cli.command import Command

WITHOUT = {"MERIDIA_EMBEDDING_ENABLED": "false"}


def test_a_journal_is_backed_up_exported_and_restored(meridia: Command, tmp_path):
    db = tmp_path / "a.db"
    meridia("remember", "The ferry leaves at nine.", "--person", "Dana", "--db", db, env=WITHOUT)
    made = meridia("backup", tmp_path / "b.db", "--db", db)
    assert (made.status, "whole" in made.out) == (0, True)
    again = meridia("backup", tmp_path / "b.db", "--db", db)
    assert again.status == 2
    assert "exists: name a file that does not" in again.err
    archive = meridia("export", "--db", db)
    (tmp_path / "a.jsonl").write_text(archive.out)
    for number, source in enumerate(("b.db", "a.jsonl")):
        to = tmp_path / f"{number}.db"
        told = meridia("restore", tmp_path / source, "--db", to, "--json").json
        assert [space["space"] for space in told["spaces"]] == ["default"]
        listed = meridia("list", "--db", to, "--json", env=WITHOUT).json["memories"]
        assert [memory["person"] for memory in listed] == ["Dana"]
    kept = meridia("restore", tmp_path / "b.db", "--db", db)
    assert kept.status == 4
    assert "--replace" in kept.err
    replaced = meridia("restore", tmp_path / "b.db", "--db", db, "--replace")
    assert "a.db.replaced-" in replaced.err


def test_events_are_exported_as_import_reads_them(meridia: Command, tmp_path):
    db = tmp_path / "a.db"
    for person, text in (("Dana", "The ferry leaves at nine."), ("Kim", "Deploy on Friday.")):
        meridia("remember", text, "--person", person, "--db", db, env=WITHOUT)
    assert meridia("export", "--person", "Dana", "--db", db).status == 2
    events = meridia("export", "--events", "--person", "Dana", "--db", db)
    (tmp_path / "dana.jsonl").write_text(events.out)
    done = meridia("import", tmp_path / "dana.jsonl", "--db", tmp_path / "b.db", env=WITHOUT)
    assert done.status == 0
    listed = meridia("list", "--db", tmp_path / "b.db", "--json", env=WITHOUT).json["memories"]
    assert [(m["person"], m["text"]) for m in listed] == [("Dana", "The ferry leaves at nine.")]


def test_the_graph_near_a_person_is_written_as_other_programs_read_it(meridia: Command, tmp_path):
    db, file = tmp_path / "a.db", tmp_path / "dana.graphml"
    for person, town in (("Dana", "Bergen"), ("Lee", "Oslo")):
        meridia("remember", f"I live in {town}.", "--person", person, "--db", db, env=WITHOUT)
    write = ("export", "--graph", file, "--around", "Dana", "--hops", "1", "--db", db)
    told = meridia(*write, "--json", env=WITHOUT).json
    names = set(dict(nx.read_graphml(file).nodes(data="name")).values())
    assert told["nodes"] == len(names)
    assert "Dana" in names
    assert "Lee" not in names
    again = meridia(*write, env=WITHOUT)
    assert (again.status, "exists" in again.err) == (2, True)
