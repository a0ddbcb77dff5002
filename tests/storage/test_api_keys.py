"""Keys of callers: shown once, stored as a hash, revoked for good."""

from __future__ import annotations

import pytest

from meridia.core.errors import InvalidInput, NotFound
from meridia.storage.api_keys import Access


def test_a_key_is_known_by_its_text_and_only_a_hash_is_stored(journal_file, journal_path):
    key, text = journal_file.api_keys.create(Access.WRITE, ["a", "b", "a"], "laptop")
    assert journal_file.api_keys.check(text) == key
    assert (key.spaces, key.label) == (("a", "b"), "laptop")
    assert key.opens("a")
    assert not key.opens("c")
    secret = text.rpartition("_")[2]
    stored = b"".join(path.read_bytes() for path in journal_path.parent.iterdir())
    assert secret.encode() not in stored
    assert bytes.fromhex(secret) not in stored
    assert secret not in str(key.as_json())


def test_what_is_no_key_opens_nothing(journal_file):
    _, text = journal_file.api_keys.create(Access.READ, ["*"])
    prefix, id, secret = text.split("_")
    wrong = [
        "",
        "_",
        "__",
        text[:-1],
        text + "0",
        text.upper(),
        f"{prefix}_{id}_",
        f"{prefix}__{secret}",
        f"other_{id}_{secret}",
        f"{prefix}_{id[::-1]}_{secret}",
        f"{prefix}_{id}_{secret[::-1]}",
        f"{prefix}_{id}_\x00",
        f"{prefix}_{id}_é",
        "a" * 100_000,
    ]
    assert [given for given in wrong if journal_file.api_keys.check(given)] == []


def test_a_revoked_key_stays_listed_and_opens_nothing(journal_file):
    keys = journal_file.api_keys
    key, text = keys.create(Access.ADMIN, ["*"])
    keys.revoke(key.id)
    at = keys.list_all()[0].revoked
    keys.revoke(key.id)
    assert at is not None
    assert keys.list_all()[0].revoked == at
    assert keys.check(text) is None
    with pytest.raises(NotFound):
        keys.revoke("none")


def test_a_key_is_for_some_space(journal_file):
    for spaces in ([], [""]):
        with pytest.raises(InvalidInput):
            journal_file.api_keys.create(Access.READ, spaces)


def test_a_given_key_opens_what_it_was_given_for_last(journal_file):
    keys = journal_file.api_keys
    _, text = keys.create(Access.READ, ["a"])
    changed, _ = keys.create(Access.WRITE, ["b"], "app", text)
    found = keys.check(text)
    assert (found.id, found.access, found.spaces, found.label) == (
        changed.id,
        Access.WRITE,
        ("b",),
        "app",
    )
    assert len(keys.list_all()) == 1
    keys.revoke(found.id)
    keys.create(Access.WRITE, ["b"], "app", text)
    assert keys.check(text) is None  # what was revoked here stays so


def test_only_a_whole_key_with_an_id_of_its_own_can_be_given(journal_file):
    keys = journal_file.api_keys
    key, text = keys.create(Access.READ, ["a"])
    other = f"meridia_{key.id}_{'0' * 64}"
    for given in ("", "secret", text[:-1], f"{text}\n", other):
        with pytest.raises(InvalidInput):
            keys.create(Access.ADMIN, ["*"], given=given)
    assert keys.check(text) == key
    assert keys.check(other) is None
