from __future__ import annotations

import base64

from meridia.ingest.redaction.value_shapes import (
    CHECKS,
    decoded,
    is_code,
    is_key,
    is_mixed,
    is_random,
    is_reference,
    looks_secret,
)


def test_chance_is_told_from_words() -> None:
    for text in ["a1B2c3D4", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY", "9f86d081884c7d65"]:
        assert is_mixed(text)


def test_words_and_numbers_are_no_chance() -> None:
    for text in [
        "learn-contrib-2024-tools",
        "getDefaultEncoding2",
        "HTTPServer2/path",
        "letters",
        "1234",
    ]:
        assert not is_mixed(text)


def test_what_a_generator_makes_is_random() -> None:
    for value in ["wJalrXUtnFEMI7K7MDENGbPx", "0a1b2c3d4e5f60718293a4b5", "Q7RPX2M9K4T8ZB3W1Y6N"]:
        assert is_random(value)
    for value in [
        "passwordResetTokenExpiration2", "why-we-moved-to-kubernetes-in-2024", "1234567890" * 3,
        "2026-01-02T03:04:05.000Z", "a1B2c3", "ip-10-0-12-34.eu-west-1.compute", "",
    ]:  # fmt: skip
        assert not is_random(value)


def test_a_key_is_random_or_in_groups() -> None:
    for value in ["A1B2-C3D4-E5F6-7G8H", "0a1b2c3d" * 4]:
        assert is_key(value)
    for value in [
        "one-two-three-four",
        "SHA256:0a1b2c3d4e5f60718293",
        "0x" + "0a1b2c3d" * 5,
        "0a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f",
        "https://example.org/0a1b2c3d4e5f6a7b8c",
    ]:
        assert not is_key(value)


def test_a_reference_is_no_secret() -> None:
    for value in (
        "$TOKEN", "${TOKEN}", "{{ token }}", "{token}", "<your token>", "%s", "*****", "None",
        "str", "YOUR_TOKEN", "os.environ['X']", "process.env.X", "…",
        "sk-...", "./pw.txt", "prod/db/password", "Bearer {token}", "Password must be longer.",
    ):  # fmt: skip
        assert is_reference(value)
        assert not looks_secret(value)


def test_these_values_look_secret() -> None:
    for value in ["hunter2", "p@ssword", "123456", "a" * 24, "x-1y2z"]:
        assert looks_secret(value)


def test_these_values_do_not() -> None:
    for value in ["word", "two words1", "self.token2", "get_token(1)", "a1", "Sure!"]:
        assert not looks_secret(value)


def test_code_is_a_call_an_item_or_a_dotted_name() -> None:
    assert all(map(is_code, ["get(", "x[0]", "self.token", "Foo::bar"]))
    assert not any(map(is_code, ["hunter2", "a.b/c", "3.x"]))


def test_base64_is_decoded_where_it_is_text() -> None:
    assert decoded(base64.b64encode(b"bob:pw").decode()) == "bob:pw"
    assert decoded(base64.urlsafe_b64encode(b"a>b?c>?").decode().rstrip("=")) == "a>b?c>?"
    assert decoded(base64.b64encode(b"\x00\xff\x80").decode()) is None
    assert decoded("A") is None


def test_a_user_and_a_password_have_a_colon_between_them() -> None:
    assert CHECKS["user_and_password"](base64.b64encode(b"bob:pw").decode())
    assert not CHECKS["user_and_password"](base64.b64encode(b"bob").decode())
