"""`meridia keys`, as it is typed."""

from __future__ import annotations


def test_a_key_is_shown_once_and_listed_without_its_secret(meridia, db):
    made = meridia("keys", "create", "--db", db, "--for", "work", "--access", "read")
    assert made.status == 0, made.err
    text = made.out.strip()
    assert "only now" in made.err
    listed = meridia("keys", "--db", db, "--json").json
    assert [(key["spaces"], key["access"]) for key in listed] == [(["work"], "read")]
    assert text.rpartition("_")[2] not in str(listed)
    assert meridia("keys", "revoke", listed[0]["id"], "--db", db).status == 0
    assert meridia("keys", "--db", db, "--json").json[0]["revoked"]


def test_a_key_may_be_for_every_space(meridia, db):
    made = meridia("keys", "create", "--db", db, "--every-space", "--access", "admin", "--json")
    assert made.json["spaces"] == ["*"]
    assert made.json["key"].startswith(f"meridia_{made.json['id']}_")


def test_what_is_wrong_is_said(meridia, db):
    assert meridia("keys", "--db", db).status == 3
    meridia("init", "--db", db)
    assert meridia("keys", "revoke", "none", "--db", db).status == 3
    assert meridia("keys", "revoke", "--db", db).status == 2
    assert meridia("keys", "create", "x", "--db", db).status == 2


def test_a_key_of_one_journal_is_taken_by_another(meridia, db, tmp_path):
    text = meridia("keys", "create", "--db", tmp_path / "first.db").out.strip()
    (tmp_path / "key").write_text(f"{text}\n", "utf-8")
    for _ in range(2):
        taken = meridia("keys", "create", "--db", db, "--given", tmp_path / "key", "--for", "work")
        assert (taken.status, taken.out) == (0, "")
    (listed,) = meridia("keys", "--db", db, "--json").json
    assert (listed["id"], listed["spaces"]) == (text.split("_")[1], ["work"])
    wrong = meridia("keys", "create", "--db", db, "--given", "-", stdin="hunter2")
    assert wrong.status == 2
    assert "hunter2" not in wrong.err
