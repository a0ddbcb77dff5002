from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.ingest.redaction.rules import SecretNames, SecretSpan, read_rules
from meridia.ingest.redaction.scanner import count_marks, find_by_shape, find_secrets, mark, redact
from tests.planted_secrets import MAKERS
from tests.thorough import THOROUGH

NAMES = SecretNames()


def _redacted(text: str) -> str:
    return redact(text, lambda masked: find_secrets(masked, NAMES))


def test_a_whole_secret_is_replaced_and_the_text_around_it_stays() -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    assert _redacted(f"see ({token}), please") == "see ([REDACTED:github_token]), please"


def test_findings_that_overlap_become_one_mark_of_the_surest_kind() -> None:
    spans = [SecretSpan(4, 9, "sure"), SecretSpan(0, 6, "other"), SecretSpan(8, 12, "third")]
    assert redact("abcdefghijklmnop", lambda _: spans if "a" in _ else []) == "[REDACTED:sure]mnop"


def test_what_is_in_a_mark_or_only_signs_is_no_secret() -> None:
    text = f"password={mark('token')} and ----"
    assert redact(text, lambda masked: [SecretSpan(0, 0, "x"), SecretSpan(9, 25, "y")]) == text
    assert redact("----", lambda masked: [SecretSpan(0, 4, "x")]) == "----"


def test_a_finding_that_reaches_into_a_mark_takes_all_of_it() -> None:
    text = f"abc{mark('token')}def"
    spans = [SecretSpan(0, 8, "x")]
    assert redact(text, lambda m: spans if m.startswith("a") else []) == "[REDACTED:x]def"


def test_marks_are_counted_by_kind() -> None:
    assert count_marks(f"{mark('a')} {mark('b')} {mark('a')} [REDACTED:]") == {"a": 2, "b": 1}


def test_escapes_colours_and_breaks_hide_nothing() -> None:
    for text, clean in [
        ("ghp_abcdef\\\n    ghijklmnopqrst0123", "[REDACTED:github_token]"),
        ('"ghp_abcdef" + "ghijklmnopqrst0123"', '"[REDACTED:github_token]"'),
        ("\x1b[31mpwd\x1b[0m=\x1b[1mx1y2", "\x1b[31mpwd\x1b[0m=\x1b[1m[REDACTED:password]"),
        ("pwd%3Dhunter2%26x%3D1", "pwd%3D[REDACTED:password]%26x%3D1"),
        ("&quot;pwd&quot;:&quot;heron 42&quot;", "&quot;pwd&quot;:&quot;[REDACTED:password]&quot;"),
        (r"{\"token\": \"x1y2z3\", \"n\": 1}", r"{\"token\": \"[REDACTED:token]\", \"n\": 1}"),
        (r"{\\\"token\\\": \\\"x1y2z3\\\"}", r"{\\\"token\\\": \\\"[REDACTED:token]\\\"}"),
        (r"\u0070assword=hunter2", r"\u0070assword=[REDACTED:password]"),
        ("pass\u200bword: x1y2", "pass\u200bword: [REDACTED:password]"),
    ]:  # fmt: skip
        assert _redacted(text) == clean


def test_a_secret_within_base64_is_found() -> None:
    assert _redacted("data: UEFTU1dPUkQ9aHVudGVyMiBtb3Jl") == "data: [REDACTED:encoded_secret]"
    assert _redacted("data: SnVzdCBzb21lIHBsYWluIHRleHQu") == "data: SnVzdCBzb21lIHBsYWluIHRleHQu"


def test_known_shapes_need_no_names() -> None:
    text = "redis://:letmein@cache:6379 password=hunter2"
    assert redact(text, find_by_shape) == (
        "redis://:[REDACTED:connection_string]@cache:6379 password=hunter2"
    )


@given(st.text(max_size=200))
def test_spans_lie_within_the_text(text: str) -> None:
    for start, end, kind in find_secrets(text, NAMES):
        assert 0 <= start <= end <= len(text)
        assert kind.replace("_", "").isalpha()


def test_an_independent_detector_finds_nothing_more() -> None:
    """detect-secrets (Yelp) looks for tokens of two dozen kinds: none may be left to find."""
    settings = pytest.importorskip("detect_secrets.settings")
    scan = pytest.importorskip("detect_secrets.core.scan")
    texts = [make(random.Random(seed)).text for make in MAKERS for seed in range(3)]
    guesses = {"Secret Keyword", "Public IP (ipv4)"}
    with settings.default_settings():
        left = {
            (secret.type, line)
            for text in texts
            for line in _redacted(text).splitlines()
            for secret in scan.scan_line(line)
            if secret.type not in guesses
            and "Entropy" not in secret.type
            and "[REDACTED:" not in str(secret.secret_value)
        }
    assert left == set()


@pytest.mark.parametrize(
    "text",
    [
        "The flag is picoCTF{wh3re_1s_the_password=abc123}.",
        "password: picoCTF{1_4m_a_f1ag}",
        "echo HTB{token:9f8e7d6c5b4a}",
        'fetch(url, {credentials: "include"})',
        'the file must begin with "-----BEGIN OPENSSH PRIVATE KEY-----", says ssh',
        "token: ****************7e1e",
        "api_key: sk-ab******** (masked)",
        'password = request.form["password"]',
        "fetch(url, {method: 'POST', credentials: 'same-origin'})",
    ],
)
def test_what_only_resembles_a_secret_stays(text):
    assert find_secrets(text, SecretNames()) == []


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ('psk="MITTEN=x9!k"', 'psk="[REDACTED:password]"'),
        ("salasana: iceberg=Kitten77", "salasana: [REDACTED:password]"),
        ("PASSWORD=qas=slz@9", "PASSWORD=[REDACTED:password]"),
    ],
)
def test_a_value_with_an_equals_sign_goes_as_a_whole(text: str, clean: str) -> None:
    assert _redacted(text) == clean


def test_a_secret_beside_the_answer_to_a_puzzle_is_one():
    text = "password=hunter2x picoCTF{the_password} key AKIA" + "QWERTYUIOPASDFGH"
    assert redact(text, lambda t: find_secrets(t, SecretNames())).count("REDACTED") == 2
    inside = "picoCTF{AKIA" + "QWERTYUIOPASDFGH}"
    assert find_secrets(inside, SecretNames()), "a secret with a shape of its own is one anywhere"


_BEGINNINGS = sorted(
    {
        beginning
        for file, section in (("contexts", "rules"), ("formats", "shapes"))
        for rule in read_rules(file, section)
        for beginning in rule.anchors
    }
)
_BETWEEN = (
    *(" ", "\n", " = ", ": ", '"', "'", "(", "a", "A1", "-", "_", ".", "/", "é", "=", "{", "<"),
    *(" is ", " as ", " the ", "a1B2" * 6, "x" * 30, "\\", "%", "&"),
)


def test_no_beginning_of_a_secret_is_searched_for_long_however_often_it_comes() -> None:
    """What went back over a text would take a second and more; the worst takes .08 s of the .4."""
    draw = random.Random(31)
    for number in range(0, int((4 if THOROUGH else 1.5) * len(_BEGINNINGS)), 1 if THOROUGH else 4):
        piece = _BEGINNINGS[number % len(_BEGINNINGS)] + draw.choice(_BETWEEN)
        if number >= len(_BEGINNINGS):
            piece += draw.choice((*_BEGINNINGS, *_BETWEEN)) + draw.choice(_BETWEEN)
        text = (piece * (10_000 // len(piece) + 1))[:10_000]
        started = time.process_time()
        _redacted(text)
        assert time.process_time() - started < 0.4, piece
