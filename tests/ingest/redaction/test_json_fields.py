from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.redaction.json_fields import JsonRedactor, parse_json
from meridia.ingest.redaction.rules import SecretNames
from meridia.ingest.redaction.scanner import find_secrets
from tests.planted_secrets import planted

NAMES = SecretNames()
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def _clean(value: Any) -> Any:
    return JsonRedactor(NAMES, lambda text: find_secrets(text, NAMES)).value(value)


def test_what_a_name_says_of_its_neighbour_counts() -> None:
    for value, clean in [
        ({"name": "PWD", "value": "x"}, {"name": "PWD", "value": "[REDACTED:password]"}),
        ({"name": "COLOUR", "value": "red"}, {"name": "COLOUR", "value": "red"}),
        (["mysql", "--password", "x", "db"], ["mysql", "--password", "[REDACTED:password]", "db"]),
        (["--token", "--verbose"], ["--token", "--verbose"]),
        (["Authorization", "x"], ["Authorization", "[REDACTED:authorization]"]),
        (["id", "password", "token"], ["id", "password", "token"]),
        ({"otp": ["a", 1, True]}, {"otp": [*["[REDACTED:one_time_code]"] * 2, True]}),
        (
            {"credentials": {"user": "bob", "phrase": "x"}},
            {"credentials": {"user": "bob", "phrase": "[REDACTED:credential]"}},
        ),
        ({"auth": "Ym9iOnB3"}, {"auth": "[REDACTED:docker_auth]"}),
        ({"auth": "none"}, {"auth": "none"}),
    ]:  # fmt: skip
        assert _clean(value) == clean


def test_a_schema_of_a_password_is_no_password() -> None:
    schema = {"properties": {"password": {"type": "string", "minLength": 8, "title": "Password"}}}
    assert _clean(schema) == schema


def test_keys_that_read_alike_afterwards_are_told_apart() -> None:
    assert _clean({TOKEN: 1, TOKEN + "x": 2, "b": 3}) == {
        "[REDACTED:github_token]": 1,
        "[REDACTED:github_token] 2": 2,
        "b": 3,
    }


def test_json_in_a_string_is_written_as_it_was_spaced() -> None:
    assert _clean('{"token":5,"n":[1,2.5]}') == '{"token":"[REDACTED:token]","n":[1,2.5]}'
    assert _clean('{"token": 5, "é": "ü"}') == '{"token": "[REDACTED:token]", "é": "ü"}'


def test_json_in_a_string_without_secrets_stays_letter_for_letter() -> None:
    text = '{ "max_tokens" : 1.0e2,\n"password": "" }'
    assert _clean(text) == text


def test_json_in_json_in_json_is_cleaned() -> None:
    text = json.dumps({"a": json.dumps({"b": json.dumps({"password": 5})})})
    clean = json.loads(json.loads(json.loads(_clean(text))["a"])["b"])
    assert clean == {"password": "[REDACTED:password]"}


def test_what_was_replaced_is_counted() -> None:
    cleaner = JsonRedactor(NAMES, lambda text: find_secrets(text, NAMES))
    cleaner.value({"password": "x", "text": f"{TOKEN} and {TOKEN}", TOKEN: '{"token": 1}'})
    assert cleaner.counts == {"password": 1, "github_token": 3, "token": 1}


def test_the_content_of_a_file_goes_and_its_numbers_stay() -> None:
    cleaner = JsonRedactor(NAMES, lambda text: ())
    assert cleaner.hide({"a": ["x", 1, None], "b": ""}) == {
        "a": ["[REDACTED:file]", 1, None],
        "b": "",
    }
    args = {"path": "a.env", "edits": [{"old_string": "x", "line": 3}], "mode": "w"}
    assert cleaner.hide(args, content_only=True) == {
        "path": "a.env",
        "edits": [{"old_string": "[REDACTED:file]", "line": 3}],
        "mode": "w",
    }


def test_json_texts_are_parsed_and_others_stay() -> None:
    for text, value in [('{"a": 1}', {"a": 1}), ("[1]", [1]), ("[1", "[1"), ("a", "a"), ("1", "1")]:
        assert parse_json(text) == value


@given(st.integers(0, 2**20))
def test_no_secret_is_overlooked_at_a_glance(seed: int) -> None:
    for plant in planted(5, seed):
        cleaner = JsonRedactor(NAMES, lambda text: find_secrets(text, NAMES))
        if cleaner.is_clean(plant.event):
            assert cleaner.event(plant.event) == plant.event
            assert not cleaner.counts
            assert not any(secret in json.dumps(plant.event) for secret in plant.sample.secrets)


def test_most_events_are_told_to_be_clean_at_a_glance() -> None:
    cleaner = JsonRedactor(NAMES, lambda text: find_secrets(text, NAMES))
    event = {
        "id": "conv-26/D1:3",
        "kind": "user_message",
        "session": {"key": "s1"},
        "person": "Dana",
        "payload": {"text": "The boat is in the shed, look at it."},
    }
    assert cleaner.is_clean(event)
    assert not cleaner.is_clean({**event, "id": TOKEN})
    assert not cleaner.is_clean({**event, "password": "x"})
