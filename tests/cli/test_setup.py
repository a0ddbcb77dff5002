"""`meridia init`, `config` and `doctor`."""

from __future__ import annotations

import platform
import sqlite3
from contextlib import closing

import pytest

from meridia.core.settings import Settings
from meridia.core.settings_loader import keys, section_of, variable


def test_init_makes_a_journal_once_for_its_owner_only(meridia, tmp_path):
    db = tmp_path / "[/odd] folder" / "agent.db"
    first = meridia("init", "--db", db, "--json")
    assert first.json == {"journal": str(db), "created": True}
    assert db.stat().st_mode & 0o077 == 0
    assert db.parent.stat().st_mode & 0o077 == 0
    again = meridia("init", "--db", db)
    assert (again.status, again.out) == (0, f"exists {db}\n")


def test_without_a_name_the_journal_lies_in_the_users_data_folder(meridia, tmp_path):
    done = meridia("init", "--json", env={"XDG_DATA_HOME": str(tmp_path)})
    assert done.json["journal"] == str(tmp_path / "meridia" / "meridia.db")


def test_every_setting_is_shown_with_its_default_and_meaning(meridia):
    rows = meridia("config", "--json").json
    assert [row["setting"] for row in rows] == keys()
    defaults = Settings()
    for row in rows:
        section, name = row["setting"].split(".")
        value = getattr(section_of(defaults, section), name)
        shown = value if isinstance(value, (int, float)) else str(value)
        assert (row["value"], row["from"]) == (shown, "default")
        assert row["environment"] == variable(row["setting"])
        assert row["meaning"]
    assert "busy_timeout_s" in meridia("config", env={"COLUMNS": "300"}).out


def test_the_stronger_source_of_a_setting_wins_and_is_named(meridia, tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text("[recall]\nlimit = 3\nprofile = 'simple'\n\n[graph]\nbatch = 7\n")
    environment = {"MERIDIA_RECALL_LIMIT": "4", "MERIDIA_CONFIG": str(file)}
    rows = meridia("config", "--set", "--json", env=environment).json
    assert {row["setting"]: (row["value"], row["from"]) for row in rows} == {
        "recall.limit": (4, "environment MERIDIA_RECALL_LIMIT"),
        "recall.profile": ("simple", f"file {file}"),
        "graph.batch": (7, f"file {file}"),
    }


def test_a_misspelt_variable_is_named_with_what_it_may_have_meant(meridia, db):
    wrong = {"MERIDIA_RECALL_LIMITT": "3", "MERIDIA_XYZZY": "1", "MERIDIA_TEST_ANYTHING": "1"}
    plain = meridia("init", "--db", db, "--json")
    done = meridia("init", "--db", db, "--json", env=wrong)
    assert (plain.err, done.status) == ("", 0)
    assert done.json["journal"] == plain.json["journal"], "a warning is no output"
    first, second = done.err.splitlines()
    assert first == (
        "meridia: MERIDIA_RECALL_LIMITT is not a setting and is ignored: "
        "did you mean MERIDIA_RECALL_LIMIT?"
    )
    assert second == (
        "meridia: MERIDIA_XYZZY is not a setting and is ignored: "
        "`meridia config` lists the settings."
    )


def test_a_commands_own_flag_wins_over_all(meridia, demo, tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text("[recall]\nlimit = 3\nprofile = 'simple'\n")
    recall = ["recall", "boat", *demo.where, "--json", "--config", file]
    narrow = meridia(*recall).json
    assert (len(narrow["hits"]), narrow["profile"]) == (3, "simple")
    wide = meridia(*recall, "--limit", 5, "--profile", "default").json
    assert (len(wide["hits"]), wide["profile"]) == (5, "default")


def test_a_password_is_never_shown(meridia):
    environment = {"MERIDIA_GRAPH_NEO4J_PASSWORD": "hunter-two"}
    done = meridia("config", "--json", env=environment)
    assert "hunter" not in done.out
    (row,) = [row for row in done.json if row["setting"] == "graph.neo4j_password"]
    assert row["from"] == "environment MERIDIA_GRAPH_NEO4J_PASSWORD"


def test_the_doctor_finds_a_healthy_machine(meridia, demo):
    rows = meridia("doctor", *demo.where, "--json").json
    assert all(row["ok"] for row in rows)
    found = {row["check"]: row["result"] for row in rows}
    assert found["python"] == platform.python_version()
    assert found["journal"] == f"{demo.db}, 1 space"
    assert found["graph (embedded)"] == "kglite is available"
    assert found["vectors (built-in)"] == "built-in is available"
    assert "MiniLM" in found["embedder"]


def test_the_doctor_makes_no_journal(meridia, db):
    done = meridia("doctor", "--db", db)
    assert done.status == 0
    assert "none yet at" in done.out.replace("\n", " ")
    assert not db.exists()


@pytest.mark.parametrize("harm", ["journal", "graph", "vectors", "sink", "search"])
def test_the_doctor_names_what_is_missing(meridia, db, harm):
    options = ["--db", db]
    if harm == "journal":
        db.write_bytes(b"no database " * 100)
    environment = {"MERIDIA_GRAPH_NEO4J_URI": "bolt://127.0.0.1:1"}
    if harm == "graph":
        options += ["--engine", "neo4j"]
    elif harm == "vectors":
        environment["MERIDIA_RECALL_VECTOR_SOURCE"] = "pgvector"
    elif harm == "sink":
        environment["MERIDIA_GRAPHITI_URI"] = "bolt://127.0.0.1:1"
    elif harm == "search":
        environment["MERIDIA_RECALL_GRAPHITI"] = "1"
    done = meridia("doctor", *options, "--json", env=environment)
    assert done.status == (6 if harm == "journal" else 5)
    (failed,) = [row for row in done.json if not row["ok"]]
    assert failed["check"].startswith(harm)
    printed = meridia("doctor", *options, env=environment)
    assert "FAILED" in printed.out


@pytest.mark.thorough
def test_the_doctor_asks_sinks_and_the_search_of_graphiti_in_neo4j(meridia, db, neo4j_server):
    environment = {
        f"MERIDIA_GRAPHITI_{name.upper()}": getattr(neo4j_server, name)
        for name in ("uri", "user", "password")
    }
    done = meridia(
        "doctor", "--db", db, "--json", env=environment | {"MERIDIA_RECALL_GRAPHITI": "1"}
    )
    results = {row["check"]: row["result"] for row in done.json}
    assert results["sink (graphiti)"] == "graphiti is available"
    assert results["search (graphiti)"] == "Graphiti's search answers"


def test_passwords_within_addresses_are_not_shown(meridia):
    env = {"MERIDIA_MODEL_BASE_URL": "https://bob:hunter2horse@models.example/v1"}
    assert "horse" not in meridia("config", env=env).out
    values = {row["setting"]: row["value"] for row in meridia("config", "--json", env=env).json}
    assert values["model.base_url"] == "https://bob:***@models.example/v1"


@pytest.mark.parametrize("command", ["verify", "doctor", "rebuild", "export"])
def test_a_journal_that_was_emptied_is_damaged_and_not_new(meridia, db, command):
    env = {"MERIDIA_EMBEDDING_ENABLED": "false"}
    assert meridia("remember", "A heron.", "--db", db, env=env).status == 0
    for file in db.parent.glob(f"{db.name}*"):
        if not file.name.endswith("-head"):
            file.write_bytes(b"") if file == db else file.unlink()
    done = meridia(command, "--db", db, env=env)
    assert done.status == 6
    assert "restore a backup" in " ".join((done.out + done.err).split())


def test_the_doctor_explains_damage_and_names_what_mends_it(meridia, db):
    env = {"MERIDIA_EMBEDDING_ENABLED": "false"}
    assert meridia("remember", "A heron.", "--db", db, env=env).status == 0
    assert meridia("doctor", "--db", db, env=env).status == 0
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("UPDATE experience SET significance = 0.123")
        connection.commit()
    done = meridia("doctor", "--db", db, "--json", env=env)
    assert done.status == 6
    damage = [row for row in done.json if not row["ok"]]
    assert {row["command"] for row in damage} == {"meridia rebuild"}
    assert meridia("rebuild", "--db", db, env=env).status == 0
    assert meridia("doctor", "--db", db, env=env).status == 0


def test_names_of_settings_and_variables_are_whole_on_a_narrow_terminal(meridia):
    lines = meridia("config", env={"COLUMNS": "80"}).out.splitlines()
    (line,) = [line for line in lines if "journal.synchronous" in line]
    assert "MERIDIA_JOURNAL_SYNCHRONOUS" in line
