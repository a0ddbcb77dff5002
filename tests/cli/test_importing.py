"""`meridia import` and `enrich`: files of several formats go in, and what is bad stays out."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import resource
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from meridia.storage.statement_loader import sql

pytestmark = pytest.mark.usefixtures("without_encoder")

GOLDEN = Path(__file__).parents[1] / "data" / "importers"


def event(id, text="Hello", **more):
    return {"id": id, "kind": "user_message", "payload": {"text": text}, **more}


def write(path, *events):
    path.write_text("".join(json.dumps(one) + "\n" for one in events))
    return path


def ids(meridia, db, *more):
    page = meridia("list", "--db", db, "--json", "--limit", 1000, *more)
    return [memory["event_id"] for memory in page.json["memories"]]


def test_text_of_another_encoding_and_a_session_that_is_no_object_are_told(meridia, db, tmp_path):
    (tmp_path / "menu.txt").write_bytes("Zoë: crème\n".encode("latin-1"))
    done = meridia("import", "--db", db, "menu.txt", cwd=tmp_path)
    assert (done.status, "menu.txt is not UTF-8: read as cp1252" in done.out) == (0, True)
    assert meridia("list", "--db", db, "--json").json["memories"][0]["text"] == "Zoë: crème"
    (tmp_path / "noise").write_bytes(bytes(range(128, 256)) * 9)
    done = meridia("import", "--db", db, "noise", cwd=tmp_path)
    assert (done.status, "noise is not UTF-8 text" in done.err) == (2, True)
    line = '{"kind": "user_message", "session": "s1", "payload": {"text": "Hello"}}'
    (tmp_path / "chat.jsonl").write_text(line)
    done = meridia("import", "--db", db, "chat.jsonl", cwd=tmp_path, env={"COLUMNS": "200"})
    assert done.status == 1
    assert 'session: an object is needed, such as {"key": "s1"}' in done.err


def test_formats_are_told_by_content_and_go_where_they_belong(meridia, db):
    files = ["chat.jsonl", "locomo.json", "tau_bench.json"]
    done = meridia("import", "--db", db, "--no-enrich", "--json", *files, cwd=GOLDEN)
    kept = ("captured", "text_only", "outline")
    captured = {
        (row["file"], row["space"]): sum(row[name] for name in kept)
        for row in done.json["imported"]
    }
    assert done.status == 1, "the golden files have bad records"
    assert captured["chat.jsonl", "default"] == 3
    assert captured["locomo.json", "garden-1"] == 7
    assert captured["tau_bench.json", "default"] == 8
    there = meridia("spaces", "--db", db, "--json").json
    assert {row["space"]: row["experiences"] for row in there} == {
        "3": 1,
        "default": 11,
        "garden-1": 7,
    }


def test_standard_input_is_read_as_a_file_is(meridia, db):
    said = json.dumps({"messages": [{"role": "user", "content": "The heron is back."}]})
    for more in ([], ["--format", "openai-chat"]):
        dry = meridia("import", "-", "--dry-run", "--json", *more, "--db", db, stdin=said)
        assert [row["events"] for row in dry.json["dry_run"]] == [1], dry.err
    done = meridia("import", "-", "--db", db, stdin=said)
    assert (done.status, len(ids(meridia, db))) == (0, 1)
    bad = meridia("import", "-", "--db", db, stdin="?")
    assert (bad.status, "standard input has no known format" in bad.err) == (2, True)


def test_a_named_space_takes_all(meridia, db):
    done = meridia("import", "--db", db, "--space", "one", "--json", "locomo.json", cwd=GOLDEN)
    assert {row["space"] for row in done.json["imported"]} == {"one"}
    assert [row["space"] for row in meridia("spaces", "--db", db, "--json").json] == ["one"]


def test_what_is_imported_is_enriched_and_in_the_graph(meridia, db, tmp_path):
    file = write(tmp_path / "a.jsonl", event("a", "The heron came back.", person="Dana"))
    done = meridia("import", "--db", db, file)
    assert done.status == 0, done.err
    assert done.out.split()[-6:] == ["file", "space", "kept", str(file), "default", "1"]
    assert done.out.startswith("read as: Meridia events; 1 message by 1 person; no time: 1\n")
    assert "1 message has no time: taken as now (--at TIME sets it)" in done.out
    lag = meridia("status", "--db", db, "--json").json[0]["lag"]
    assert (lag["search"], lag["adjacency"], lag["graph"]) == (0, 0, 0)


def test_no_projection_lags_behind_a_finished_import(meridia, db, tmp_path):
    file = write(tmp_path / "a.jsonl", event("a", "The heron came back.", person="Dana"))
    assert meridia("import", "--db", db, file).status == 0
    lag = meridia("status", "--db", db, "--json").json[0]["lag"]
    assert set(lag.values()) == {0}


def test_enrichment_can_be_left_for_later(meridia, db, tmp_path):
    file = write(tmp_path / "a.jsonl", event("a", "The heron came back.", person="Dana"))
    assert meridia("import", "--db", db, "--no-enrich", file).status == 0
    assert meridia("status", "--db", db, "--json").json[0]["lag"]["enrichment"] == 1
    done = meridia("enrich", "--db", db, "--json")
    assert done.status == 0
    assert set(done.json["default"]) == {"search", "enrichment", "adjacency", "graph"}
    assert done.json["default"]["graph"] == done.json["default"]["search"] == 3


def test_importing_again_changes_nothing(meridia, db, tmp_path):
    file = write(tmp_path / "a.jsonl", event("a"), event("b"))
    meridia("import", "--db", db, "--no-enrich", file)
    done = meridia("import", "--db", db, "--no-enrich", "--json", file)
    assert done.status == 0
    assert done.json["imported"][0]["redelivered"] == 2
    assert ids(meridia, db) == ["a", "b"]


def chatgpt(*conversations):
    """Return an export of conversations, each a title and the ids and texts of its messages."""

    def node(before, id, text):
        content = {"content_type": "text", "parts": [text]}
        said = {"id": id, "author": {"role": "user"}, "content": content, "create_time": 1.7e9}
        return {"parent": before, "message": said}

    def tree(messages):
        before = [None, *(id for id, _ in messages)]
        return {
            id: node(parent, id, text) for parent, (id, text) in zip(before, messages, strict=False)
        }

    return json.dumps(
        [
            {"title": key, "id": key, "mapping": tree(said), "current_node": said[-1][0]}
            for key, said in conversations
        ]
    )


def test_conversations_that_share_the_ids_of_messages_all_go_in(meridia, db, tmp_path):
    bread = ("bread", [("m1", "My dough is cold"), ("m2", "It rises slowly")])
    branch = ("branch", [("m1", "My dough is cold"), ("m3", "And with spelt?")])
    file = tmp_path / "conversations.json"
    file.write_text(chatgpt(bread, branch))
    done = meridia("import", "--db", db, file)
    assert done.status == 0, done.err
    assert ids(meridia, db) == ["m1", "m2", "branch/m1", "m3"]
    # A later export in another order brings nothing but what is new.
    file.write_text(chatgpt((branch[0], [*branch[1], ("m4", "Or with rye?")]), bread))
    assert meridia("import", "--db", db, file).status == 0
    assert ids(meridia, db) == ["m1", "m2", "branch/m1", "m3", "m4"]


def test_a_message_that_changed_within_its_conversation_is_refused(meridia, db, tmp_path):
    file = tmp_path / "conversations.json"
    file.write_text(chatgpt(("bread", [("m1", "My dough is cold")])))
    meridia("import", "--db", db, file)
    file.write_text(chatgpt(("bread", [("m1", "My dough is warm")])))
    done = meridia("import", "--db", db, file)
    assert done.status == 1
    assert "'m1' is already taken" in done.err


def test_refused_records_are_named_counted_and_keep_nothing_out(meridia, db, tmp_path):
    file = write(tmp_path / "a.jsonl", event("a"), event("b"))
    with file.open("a") as more:
        more.write('{"kind": "user_message"\n' * 30)
        more.write(json.dumps(event("a", "other words")) + "\n" + json.dumps(event("c")) + "\n")
    done = meridia("import", "--db", db, "--no-enrich", file)
    assert done.status == 1
    assert done.out.split()[-5:] == ["refused", str(file), "default", "3", "31"]
    shown = done.err.splitlines()
    assert "line 3: is not JSON" in done.err
    assert len([line for line in shown if line.startswith("a.jsonl line")]) == 20
    assert "… and 11 more" in shown
    as_json = meridia("import", "--db", db, "--no-enrich", "--json", file).json
    assert as_json["imported"][0]["refused"] == 31
    assert len(as_json["problems"]) == 31
    assert "a.jsonl line 33: event id 'a' is already taken" in as_json["problems"][-1]
    assert ids(meridia, db) == ["a", "b", "c"]


def test_a_file_that_cannot_be_read_keeps_no_other_out(meridia, db, tmp_path):
    first = write(tmp_path / "a.jsonl", event("a"))
    last = write(tmp_path / "b.jsonl", event("b"))
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 not a conversation")
    done = meridia(
        "import", "--db", db, "--no-enrich", first, "gone.jsonl", "photo.jpg", last, cwd=tmp_path
    )
    assert done.status == 3
    assert "photo.jpg is a picture: there is no text in it" in done.err
    assert done.err.splitlines()[-1] == "meridia: gone.jsonl does not exist: check the name"
    assert ids(meridia, db) == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"day,mood\nMonday,cross\n", "no known format"),
        (b"PK\x03\x04rest", "zip archive"),
        (b'{"some": "thing"}\n', "no known format"),
    ],
)
def test_what_is_in_no_known_format_is_refused_whole(meridia, db, tmp_path, content, said):
    (tmp_path / "file").write_bytes(content)
    done = meridia("import", "--db", db, tmp_path / "file")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert said in done.err


def test_a_named_format_overrides_what_the_content_looks_like(meridia, db, tmp_path):
    (tmp_path / "file").write_text("Dear diary,\n")
    done = meridia("import", "--db", db, "--no-enrich", "--format", "native", tmp_path / "file")
    assert done.status == 1
    assert "is not JSON" in done.err


def test_an_empty_file_is_no_failure(meridia, db, tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    assert meridia("import", "--db", db, tmp_path / "empty").status == 0


def test_a_full_disk_stops_an_import_and_the_next_run_goes_on(meridia, db, tmp_path):
    events = [event(f"e{number}", f"word {number} " * 75) for number in range(1000)]
    file = write(tmp_path / "a.jsonl", *events)
    done = meridia(
        "import",
        "--db",
        db,
        "--no-enrich",
        file,
        before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000)),
    )
    assert done.status == 1
    assert "cannot grow (disk full" in done.err.splitlines()[-1]
    stored = ids(meridia, db)
    assert 0 < len(stored) < 1000
    assert done.out.split()[-1] == str(len(stored)), "the summary counts what went in"
    assert meridia("verify", "--db", db).status == 0
    assert meridia("import", "--db", db, "--no-enrich", file).status == 0
    assert ids(meridia, db) == [f"e{number}" for number in range(1000)]


def test_an_import_that_is_killed_is_continued_by_the_next(meridia, db, tmp_path):
    events = [event(f"e{number}", "word " * 50, person="Dana") for number in range(1000)]
    file = write(tmp_path / "a.jsonl", *events)
    process = subprocess.Popen(
        [meridia.script, "import", "--no-enrich", "--db", db, file],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=meridia.environment(),
    )
    deadline = time.monotonic() + 60
    log = db.with_name(f"{db.name}-wal")
    while not log.exists() or log.stat().st_size < 300_000:
        assert time.monotonic() < deadline
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert meridia("verify", "--db", db).status == 0
    assert meridia("import", "--no-enrich", "--db", db, file).status == 0
    assert ids(meridia, db) == [f"e{number}" for number in range(1000)]


def test_a_bar_is_shown_while_a_terminal_watches(meridia, db, tmp_path):
    name = tmp_path / "[odd] name.jsonl"
    write(name, *(event(f"e{number}") for number in range(300)))
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [meridia.script, "import", "--db", db, "--no-enrich", name],
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=False,
        env=meridia.environment({"TERM": "xterm"}),
    )
    os.close(theirs)
    assert done.returncode == 0
    assert b"[odd] name.jsonl (kB)" in os.read(ours, 65536)
    os.close(ours)


def test_enrich_needs_a_journal_and_a_space_that_exist(meridia, db, demo):
    assert meridia("enrich", "--db", db).status == 3
    assert not db.exists(), "asking for a journal does not make one"
    assert meridia("enrich", "--db", demo.db, "--space", "nowhere").status == 3


def test_where_nothing_failed_there_is_nothing_to_list_or_to_try_again(meridia, demo_copy):
    where = ["--db", demo_copy, "--space", "demo"]
    listed = meridia("enrich", "--dead", *where)
    assert (listed.status, listed.out, listed.err) == (0, "nothing failed\n", "")
    assert meridia("enrich", "--dead", *where, "--json").json == []
    retried = meridia("enrich", "--retry", *where, "--json")
    assert (retried.status, retried.json) == (0, [{"space": "demo", "tried": 0, "failing": 0}])
    assert meridia("enrich", "--retry", *where).out.split()[-3:] == ["demo", "0", "0"]


def fail(db, seq, **more):
    """Note that a model failed at an entry, as its worker does."""
    row = {"stage": "model:phenomenology", "attempts": 1, "dead": 0, "error": "server_error: 500"}
    row |= {"space": 1, "seq": seq, "due_at": "2026-03-01T10:01:00.000000Z", **more}
    with closing(sqlite3.connect(db)) as connection:
        connection.execute(sql("work/task_failed"), row)
        connection.commit()


def test_dead_letters_come_first_with_reason_and_address(meridia, demo_copy):
    where = ["--db", demo_copy, "--space", "demo"]
    fail(demo_copy, 1)
    fail(demo_copy, 2, attempts=5, dead=1, error="timed_out")
    dead, waiting = meridia("enrich", "--dead", *where, "--json").json
    ids = [meridia("show", id, *where, "--json").json["id"] for id in ("d1-01", "d1-02")]
    assert [waiting["experience"], dead["experience"]] == ids
    assert (dead["dead"], dead["attempts"], dead["due"]) == (True, 5, None)
    assert (waiting["dead"], waiting["due"]) == (False, "2026-03-01T10:01:00.000000Z")
    printed = meridia("enrich", "--dead", *where, env={"COLUMNS": "80"}).out
    assert printed.splitlines() == [
        "dead letter: model:phenomenology, 5 attempts",
        f"   meridia://{ids[1]} of space demo",
        "   timed_out",
        "failed: model:phenomenology, 1 attempt",
        f"   meridia://{ids[0]} of space demo",
        "   server_error: 500",
        "   tried again after 2026-03-01 10:01",
    ]
    told = meridia("enrich", *where)
    assert (told.status, "failed to answer 2 questions" in told.err) == (0, True)
    ingest = meridia("status", *where, "--json").json[0]["ingest"]
    assert (ingest["dead_letters"], ingest["to_be_tried_again"]) == (1, 1)


def test_without_a_model_nothing_can_be_tried_again_and_it_says_so(meridia, demo_copy):
    fail(demo_copy, 1, attempts=5, dead=1)
    done = meridia("enrich", "--retry", "--db", demo_copy, "--space", "demo")
    assert (done.status, done.out.split()[-3:]) == (0, ["demo", "1", "1"])
    assert "no model is set" in done.err
    both = meridia("enrich", "--retry", "--dead", "--db", demo_copy)
    assert both.status == 2


def write_dialogue(folder):
    path = folder / "dock.txt"
    path.write_bytes(b"Odile: The pump leaks.\r\nIt is old.\r\nRobin: Look at the seal.\r\n")
    return path


def test_a_dialogue_goes_in_as_its_options_say(meridia, db, tmp_path):
    file = write_dialogue(tmp_path)
    options = ["--map", "Robin=assistant", "--at", "2026-03-01T10:00:00Z"]
    done = meridia("import", "--db", db, "--no-enrich", file, *options)
    assert done.status == 0, done.err
    first, second = meridia("list", "--db", db, "--json").json["memories"]
    assert (first["person"], first["text"]) == ("Odile", "The pump leaks.\nIt is old.")
    assert (second["person"], second["kind"]) == (None, "assistant_message")
    assert first["at"].startswith("2026-03-01T10:00:00")


def test_user_messages_get_the_person_that_is_named(meridia, db):
    files = ["sharegpt.json", "few_shot.jsonl"]
    done = meridia("import", "--db", db, "--no-enrich", *files, "--person", "Dana", cwd=GOLDEN)
    assert "6 columns" not in done.err
    people = {
        (m["kind"], m["person"]) for m in meridia("list", "--db", db, "--json").json["memories"]
    }
    assert people == {
        ("user_message", "Dana"),
        ("user_message", "Robin"),
        ("assistant_message", None),
        ("tool_result", None),
    }


def test_a_dry_run_shows_what_would_go_in_and_stores_nothing(meridia, db, tmp_path):
    file = write_dialogue(tmp_path)
    shown = meridia("import", "--db", db, "--dry-run", file, "chatgpt.json", cwd=GOLDEN)
    assert shown.status == 1, "chatgpt.json has a bad record"
    assert not db.exists()
    rows = [line.split() for line in shown.out.splitlines()]
    start = rows.index(["file", "kind", "who", "events", "when", "begins"])
    assert rows[start + 1][:5] == ["dock.txt", "user_message", "Odile", "1", "–"]
    headline = "dock.txt: read as: dialogue; 2 messages by 2 people; no time: 2"
    assert shown.out.splitlines()[0] == headline
    assert "1. no time  Odile: The pump leaks. It is old." in shown.out
    assert "2026-03-01" in shown.out
    assert shown.out.splitlines()[-1] == "dry run: 6 events would go in; nothing was stored"
    assert "'soon' is not a time" in shown.err
    listed = meridia("import", "--db", db, "--dry-run", "--json", file).json
    assert [row["who"] for row in listed["dry_run"]] == ["Odile", "Robin"]
    assert listed["problems"] == []
    (found,) = listed["read"]
    assert (found["read_as"], found["events"], found["no_time"]) == (
        {"dialogue": 1},
        {"message": 2},
        2,
    )
    assert [record["person"] for record in found["records"]] == ["Odile", "Robin"]


def test_a_file_without_events_says_so(meridia, db, tmp_path):
    for name, content in (("none.jsonl", ""), ("blank.txt", "\n\n"), ("head.csv", "name,text\n")):
        (tmp_path / name).write_text(content)
        done = meridia("import", "--db", db, tmp_path / name)
        assert (done.status, done.err) == (0, f"{name} is empty: it holds no event\n")


def test_options_that_change_nothing_or_mean_nothing_are_told(meridia, db, tmp_path):
    file = write_dialogue(tmp_path)
    unmatched = meridia("import", "--db", db, "--dry-run", file, "--map", "Robyn=assistant")
    assert (
        unmatched.err == "dock.txt holds no name or column 'Robyn': --map changed nothing there\n"
    )
    for option, problem in (
        (["--map", "Robin=boss"], "'Robin' cannot be mapped to 'boss': map a name to one of user"),
        (["--map", "Robin"], "write it as key=value"),
        (["--at", "noon"], "--at 'noon' is not a date or time"),
    ):
        done = meridia("import", "--db", db, file, *option)
        assert (done.status, done.err.count("\n")) == (2, 1)
        assert problem in done.err


def test_line_ends_of_windows_are_printed_as_lines(meridia, db, tmp_path):
    file = write(tmp_path / "a.jsonl", event("a", "first line\r\nsecond line"))
    assert meridia("import", "--db", db, "--no-enrich", file).status == 0
    shown = meridia("show", "--db", db, "a").out
    assert "\N{REPLACEMENT CHARACTER}" not in shown
    assert "first line\n" in shown


def test_what_was_redacted_is_counted_and_marked(meridia, db, tmp_path):
    secrets = {"password": "hunter2", "note": "picoCTF{the_password=is_this}"}
    call = {"kind": "tool_result", "tool": {"name": "login"}, "id": "a"}
    result = {"fetch": {"credentials": "include"}}
    file = write(tmp_path / "a.jsonl", {**call, "payload": {"args": secrets, "result": result}})
    done = meridia("import", "--db", db, "--no-enrich", file)
    assert "redacted by rule: 1 password; `meridia show` marks them" in done.out
    again = meridia("import", "--db", db, "--no-enrich", "--json", file).json
    assert again["redacted"] == {}, "nothing new went in"
    shown = meridia("show", "--db", db, "a", "--json").json
    assert shown["redacted"] == {"password": 1}
    assert "picoCTF{the_password=is_this}" in shown["text"]
    assert "include" in shown["text"]
    printed = meridia("show", "--db", db, "a").out
    assert "redacted" in printed
    assert "1 password" in printed


def test_an_artifact_has_the_hash_of_its_file_or_none(meridia, db, tmp_path):
    tool = {"kind": "tool_result", "metadata": {"important": True}}
    edit = {"file_path": "a.md", "old_string": "oak", "new_string": "pine"}
    calls = [
        {"id": "e", **tool, "tool": {"name": "Edit"}, "payload": {"args": edit, "result": "ok"}},
        {"id": "w", **tool, "tool": {"name": "Write"}}
        | {"payload": {"args": {"file_path": "b.md", "content": "pine"}, "result": "ok"}},
    ]
    assert meridia("import", "--db", db, write(tmp_path / "a.jsonl", *calls)).status == 0
    (edited,) = meridia("show", "--db", db, "e", "--kit").json["artifacts"]
    (written,) = meridia("show", "--db", db, "w", "--kit").json["artifacts"]
    assert edited["uri"] == "a.md"
    assert "sha256" not in edited
    assert written["sha256"] == hashlib.sha256(b"pine").hexdigest()


def test_enriching_again_says_how_many_messages_are_read_otherwise(meridia, db, tmp_path):
    source = write(tmp_path / "one.jsonl", event("a", "I promise I will send you the report."))
    meridia("import", "--db", db, source)
    assert "0 messages are read otherwise" in meridia("enrich", "--again", "--db", db).out
    done = meridia("enrich", "--again", "--db", db, "--json")
    assert done.json["default"]["changed"] == 0


def test_a_folder_goes_in_as_what_each_file_is_and_again_brings_only_what_is_new(
    meridia, db, tmp_path
):
    folder = tmp_path / "mine"
    (folder / "notes").mkdir(parents=True)
    chat = folder / "WhatsApp Chat.txt"
    chat.write_text(
        "13.03.26, 21:05 - Nachrichten sind verschlüsselt.\n"
        "13.03.26, 21:06 - Odile: Das Segel ist nicht da, und die Karte ist auch weg.\n"
        "13.03.26, 21:07 - Robin: <Medien ausgeschlossen>\n"
    )
    (folder / "notes" / "2026-03-01.md").write_text("# Boat\nThe pump leaks.\n")
    (folder / "app.log").write_text("INFO: started\nWARN: slow\nINFO: ready\n")
    (folder / "mast.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    wide = {"COLUMNS": "200"}
    dry = meridia("import", "--db", db, "--dry-run", folder, env=wide)
    assert (dry.status, db.exists()) == (0, False), dry.err
    done = meridia("import", "--db", db, "--no-enrich", folder, env=wide)
    assert done.status == 0, done.err
    headline = (
        "read as: WhatsApp (German), document, Markdown; 1 message by 1 person, 2 notes; "
        "skipped: 1 system line, 1 'media omitted'; not read: 1 file; no time: 1"
    )
    for shown in (dry, done):
        assert shown.out.splitlines()[0] == headline
        assert "not read: mast.jpg is a picture: there is no text in it" in shown.out
        assert "1 message has no time: taken as now (--at TIME sets it)" in shown.out
    memories = meridia("list", "--db", db, "--json").json["memories"]
    assert {m["person"] for m in memories} == {"Odile", None}
    with chat.open("a") as more:
        more.write("13.03.26, 21:08 - Robin: Ich habe sie.\n")
    again = meridia("import", "--db", db, "--no-enrich", "--json", folder).json["imported"][0]
    assert (again["redelivered"], again["refused"], again["text_only"] + again["captured"]) == (
        *(3, 0),
        1,
    )


def test_where_nothing_can_be_read_the_status_says_so(meridia, db, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "mast.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    done = meridia("import", "--db", db, tmp_path / "mine")
    assert done.status == 2
    assert "nothing could be read: mast.jpg is a picture" in done.err
