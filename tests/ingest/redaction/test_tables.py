"""Columns of secrets: their cells go, whatever the table looks like; prose with commas stays."""

from __future__ import annotations

import pytest

from meridia.core.settings import SanitiseSettings
from meridia.ingest.redaction.sanitise import clean_text


@pytest.mark.parametrize(
    "table",
    [
        "user,password,role\nbob,hunter2x,admin\nann,letmein,dev\n",
        'user;Passwort\n"bob";"hunter2x"\nann;letmein',
        "user\tapi_key\r\nbob\thunter2x\r\nann\tletmein",
        "| user | password |\n|------|:---------|\n| bob | hunter2x |\n| ann | letmein |\n\nEnd",
        "user | password\nbob | hunter2x\nann | letmein",
    ],
)
def test_every_cell_below_the_name_of_a_secret_goes(table):
    cleaned = clean_text(f"Here:\n{table}")
    assert "hunter2x" not in cleaned
    assert "letmein" not in cleaned
    assert "bob" in cleaned
    assert "ann" in cleaned


@pytest.mark.parametrize(
    "text",
    [
        "name,password_hint,role\nbob,dog,admin",
        "We need user, password, role\nand then, of course, the rest",
        "def login(self, user, password):\n    return check(user, other)",
        "| step | has_password |\n|---|---|\n| one | yes |",
        "user,password\nbob,\nann,***",
    ],
)
def test_what_is_no_column_of_secrets_stays(text):
    assert clean_text(text) == text


def test_account_numbers_go_where_that_is_asked_for():
    text = "Pay 4111 1111 1111 1111 or DE89 3704 0044 0532 0130 00, SSN 078-05-1120, call 5551234."
    assert clean_text(text) == text
    cleaned = clean_text(text, SanitiseSettings(account_numbers=True))
    for kind in ("card_number", "iban", "social_security_number"):
        assert f"[REDACTED:{kind}]" in cleaned
    assert "5551234" in cleaned
