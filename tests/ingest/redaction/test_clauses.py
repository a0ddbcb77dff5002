from __future__ import annotations

import random
import time

from hypothesis import given
from hypothesis import strategies as st

from bench.redaction import drawn
from meridia.ingest.redaction.clauses import find_in_clauses

#: Clauses with a word for a secret; what is drawn in them stands anywhere, joined by nothing.
CLAUSES = (
    "is ⟨wpw⟩ still the password?",
    "ssh to build7 as ci, pw ⟨wpwa⟩",
    "log into grafana (admin, ⟨pw⟩)",
    'default = "⟨pw⟩" # password of the admin',
    "root pw on all three boxes is ⟨pw⟩ (yes, the same)",
    "bob: what's the wifi password again?\\nann: ⟨wpw⟩",
    "username admin password 0 ⟨wpwa⟩",
    "it is ⟨pwa⟩, and that is the password",
    "session.login('ann', '⟨pw⟩')",
    "try admin:⟨wpwa⟩ there",
    'the passphrase "⟨phrase⟩" is in the installer',
    "⟨alnum:32⟩ goes into the secret of the pod",
    "UPDATE t SET v='⟨alnum:40⟩' WHERE name='stripe_secret_key'",
)
#: What names a secret without one, and things beside such names.
HARMLESS = (
    "the password for Office365 is not mine",
    "log in to Server2019 first",
    "user Robin1987 forgot the password",
    "Kestrel2025 is the name of our next release",
    "the password policy of version v2.14.3 changed",
    "password hash: sha256, 600000 rounds",
    "test_password_reset_2 failed in login_form.py:212",
    "the login takes 350ms on x86_64",
    "OAuth2PasswordBearer(tokenUrl='token')",
    "#NoPasswordDay2026",
    "token ids of Qwen2.5 and GPT4",
    "key 0123456789abcdef0123456789abcdef01234567 of the index",
    "login: ann@example.com",
    "Password: <your password>",
    "password: ${DB_PASSWORD}",
)


def _values(text: str) -> list[str]:
    return [text[span.start : span.end] for span in find_in_clauses(text, text.lower())]


@given(st.sampled_from(CLAUSES), st.integers(0, 999))
def test_what_is_built_as_a_secret_is_one_in_the_clause_of_a_name(clause: str, seed: int) -> None:
    text, values = drawn(clause, random.Random(seed))
    found = _values(text)
    assert all(any(value.rstrip("?") in one for one in found) for value in values)


def test_a_name_without_such_a_word_finds_nothing() -> None:
    assert [(text, _values(text)) for text in HARMLESS if _values(text)] == []


def test_another_line_is_another_clause() -> None:
    assert _values("I forgot the password.\nKestrel2025 is out") == []
    assert _values("password: see the vault" + " and so on" * 20 + " Kestrel2025") == []


def test_names_without_end_are_read_once() -> None:
    for piece in ("password ", "password? ", "token Ab1", "login:\n", "password=x1Y2z3!"):
        started = time.process_time()
        _values(piece * (100_000 // len(piece)))
        assert time.process_time() - started < 2, piece
