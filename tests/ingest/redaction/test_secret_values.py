from __future__ import annotations

import base64

from meridia.ingest.redaction.secret_values import (
    decoded,
    is_code,
    is_mixed,
    is_mixed_case,
    is_reference,
    is_user_and_password,
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


def test_mixed_case_has_large_and_small_letters() -> None:
    assert is_mixed_case("a1B2c3D4")
    assert not is_mixed_case("9f86d081884c7d65")


def test_a_reference_is_no_secret() -> None:
    for value in (
        "$TOKEN", "${TOKEN}", "{{ token }}", "{token}", "<your token>", "%s", "*****", "None",
        "str", "YOUR_TOKEN", "os.environ['X']", "process.env.X", "…",
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
    assert is_user_and_password(base64.b64encode(b"bob:pw").decode())
    assert not is_user_and_password(base64.b64encode(b"bob").decode())
