"""Values beside a word for a secret: in settings, code, commands and what people say."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meridia.core.settings import SanitiseSettings
from meridia.ingest.redaction.rules import SecretNames, rule_file
from meridia.ingest.redaction.sanitise import clean_text
from meridia.ingest.redaction.scanner import find_secrets
from meridia.ingest.redaction.statements import Candidate, candidates, judge
from meridia.ingest.redaction.value_shapes import is_title, shape_of, stands_for_secret, stem_in
from meridia.language.heads import load_net

NAMES = SecretNames()


def found(text: str) -> list[str]:
    return [text[start:end] for start, end, _ in find_secrets(text, NAMES)]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("DB_PASSWORD=Kestrel2025", "Kestrel2025"),
        ('"apiToken": "a8Kd02mQz81LpX"', "a8Kd02mQz81LpX"),
        ("mysqldump --password Quarry7Dust wiki", "Quarry7Dust"),
        ("use Walrus77 as the password for the album", "Walrus77"),
        ("das Passwort für den Drucker ist Quitte!Birne7", "Quitte!Birne7"),
        ("le mot de passe du NAS, c'est Cidre&Crepe9", "Cidre&Crepe9"),
        ("la contraseña es Sidra_Fresca9", "Sidra_Fresca9"),
        ("пароль от почты теперь Yabloko!9", "Yabloko!9"),
        ("密码是pingguo_2025，帮我记一下", "pingguo_2025"),
        ("hasło do wifi: Zielona.Zaba3", "Zielona.Zaba3"),
    ],
)
def test_a_value_that_is_stated_as_a_secret_is_found(text: str, secret: str) -> None:
    assert any(secret in value or value in secret for value in found(text))


@pytest.mark.parametrize(
    "text",
    [
        'password: "Contraseña"\nsubmit: "Enviar"',
        "permissions:\n  id-token: write\n  contents: read",
        "password: ${DB_PASSWORD}",
        "password = getpass.getpass()",
        "token: str | None = None",
        "the key to cell C4 is missing",
        "boarding at gate B12, flight DY1302 at 10:45",
        "Das Passwort ist falsch.",
        "the error code is 404123",
        "passwords are rotated every 90 days",
        "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ],
)
def test_what_only_speaks_of_secrets_is_left_alone(text: str) -> None:
    assert found(text) == []


def test_a_policy_names_what_is_secret_and_what_is_not() -> None:
    policy = SanitiseSettings(names_sensitive=("badge",), names_allowed=("db_password",))
    assert clean_text("badge=letmein7", policy) == "badge=[REDACTED:secret]"
    assert clean_text("db_password=kestrel99", policy) == "db_password=kestrel99"
    assert clean_text("db_password=kestrel99") != "db_password=kestrel99"


def test_what_everybody_may_read_and_answers_to_puzzles_are_not_weighed() -> None:
    block = "-----BEGIN PUBLIC KEY-----\npassword: Kestrel2025\n-----END PUBLIC KEY-----"
    for text in (block, "password: picoCTF{k3strel_2025}"):
        assert not any("2025" in text[each.start : each.end] for each in weighed(text))


def test_a_plain_sentence_without_a_word_for_a_secret_has_no_candidates() -> None:
    text = "We met at the harbour on 12 May, she said, and had well-made tea for 47 people."
    assert not list(candidates(text, text.lower(), NAMES, []))


def test_a_value_that_looks_made_up_is_weighed_wherever_it_stands() -> None:
    for text in ("it is Kestrel+Lantern4 again", "x: https://h.example/a?t=8fK2mQz81LpXd9Kd02"):
        assert any(len(text[each.start : each.end]) > 15 for each in weighed(text))


def weighed(text: str) -> list[Candidate]:
    return list(candidates(text, text.lower(), NAMES, []))


def test_names_without_end_take_no_time_by_the_square() -> None:
    for piece in ("password=", "password: x ", "code 1234\n", "secret"):
        text = piece * (20_000 // len(piece))
        started = time.process_time()
        find = list(judge(text, text, NAMES, []))
        assert time.process_time() - started < 1, (piece, len(find))


def test_the_head_has_a_weight_for_most_shapes() -> None:
    weights = load_net("secrets").places
    tables = rule_file("statements")
    listed = [*tables["shapes"], *tables["shapes_of_signs"]]
    known = [
        shape for shape in listed if any(name.startswith(f"shape {shape}") for name in weights)
    ]
    assert len(known) >= 0.8 * len(listed)


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("4711", "digits4"), ("1984", "year"), ("a8Kd02mQz81LpXd9Kd02", "random"),
        ("Kestrel2025", "numbered"), ("${TOKEN}", "reference"), ("your-token-here", "reference"),
        ("Clave de API", "label"), ("~/.ssh/id", "reference"), ("hamster", "lower"),
        ("two-left-boots", "dashed_words"), ("Bob.Hest5", "dotted_digit_upper"),
        ("sha256:ab", "digest"), ("vault:secret/x", "address"), ("!!", "none"),
        ("#1a2b3c", "colour"), ("shop!Key::Get+0x6c", "symbol"), ("0x7ffe01a0", "symbol"),
        ("!3m1!4b1!4m6", "coded"), ("@members", "sigil"), ("1:4.13+dfsg1-1", "measure"),
        ("S3_SECRET_KEY", "label"), ("AKIAIOSFODNN7EXAMPLE", "placeholder"),
    ],
)  # fmt: skip
def test_a_shape_says_what_a_value_looks_like(value: str, shape: str) -> None:
    assert shape_of(value) == shape


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        *(("passcode", "password"), ("routerpasswort", "password"), ("tokens", "token")),
        *(("keypad", "place"), ("locks", None)),
        *((word, None) for word in "finished pushed author badminton incredible outdoors".split()),
    ],
)
def test_a_usual_word_that_holds_a_stem_names_no_secret(word: str, kind: str | None) -> None:
    assert stem_in(word) == kind


def test_titles_of_fields_are_no_secrets_and_small_words_may_be() -> None:
    assert is_title("Mot de passe")
    assert is_title("密码")
    assert not is_title("letmeinpass")
    assert stands_for_secret("op://vault/item/password")
    assert not stands_for_secret("Kestrel2025")


@pytest.mark.parametrize("place", ["safe", "front door", "garage", "alarm of the studio", "gate"])
@pytest.mark.parametrize(
    "says", ["The code of the {} is 7788.", "For the {} press 7788.", "{} code: 7788"]
)
def test_what_opens_a_place_is_remembered(place: str, says: str):
    assert clean_text(says.format(place)) == says.format(place)


@given(st.from_regex(r"[A-Z][A-Z0-9]{5}", fullmatch=True))
def test_a_short_code_beside_no_word_for_a_secret_stays(code: str) -> None:
    text = f"Please proceed with {code}. I need to make changes."
    assert clean_text(text) == text


@given(st.from_regex(r"([a-z]{4,8}-[a-z]{4,8}|[0-9]{4,6}|[a-z]{5}[0-9]{2})", fullmatch=True))
def test_the_code_of_a_place_stays_and_its_password_goes(code: str) -> None:
    assert clean_text(f"The vault opens with {code}.") == f"The vault opens with {code}."
    assert "Kestrel2025" not in clean_text("The password of the vault is Kestrel2025")


@given(st.from_regex(r"[0-9]{3} [0-9]{4}|[0-9]{5,10}", fullmatch=True))
def test_a_number_beside_no_word_for_a_secret_stays(number: str) -> None:
    text = f"I have a new phone number: {number}."
    assert clean_text(text) == text
