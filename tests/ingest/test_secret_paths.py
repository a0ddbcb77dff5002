from __future__ import annotations

from typing import Any

import pytest

from meridia.ingest.secret_paths import PathPatterns

DEFAULT = PathPatterns()


@pytest.mark.parametrize(
    "path",
    [".env", "/app/.env", "deploy/.env.production", "prod.env", "server.pem", "TLS/Server.KEY",
     "~/.ssh/id_rsa", "id_ed25519", "/home/bob/.ssh/config", "C:\\Users\\bob\\.aws\\credentials",
     ".netrc", "/etc/shadow", ".docker/config.json", "backup/id_rsa.old"],
)  # fmt: skip
def test_these_files_are_not_kept(path: str) -> None:
    assert DEFAULT.fits(path)


@pytest.mark.parametrize(
    "path",
    [".env.example", "environment", "src/env.py", "id_rsa.pub", ".ssh/known_hosts", ".key",
     "keyboard.txt", "config.json", "etc/shadows", "pem", "aws/credentials.md", ""],
)  # fmt: skip
def test_these_files_are_kept(path: str) -> None:
    assert not DEFAULT.fits(path)


def test_the_last_pattern_that_fits_decides() -> None:
    patterns = PathPatterns(("*.txt", "!notes/*", "notes/secret.txt"))
    assert [patterns.fits(p) for p in ("a.txt", "notes/a.txt", "x/notes/secret.txt")] == [
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    "arguments",
    [{"path": ".env"}, {"command": "cat a.txt <.env"}, {"cmd": ["cat", "x/.env"]}, "scp h:.env .",
     {"uri": "file:///app/.env"}, {"a": {"b": ["git show HEAD:.env"]}}, {"code": "open('.env')"}],
)  # fmt: skip
def test_a_call_names_a_file_as_a_value_or_in_a_command(arguments: Any) -> None:
    assert DEFAULT.named_in(arguments)


@pytest.mark.parametrize(
    "arguments",
    [{"query": "what is .env"}, {"path": "a.txt", "content": "see .env"}, {"code": "os.env.x.key"},
     {"command": "jq .key a.json"}, {}, None, 5],
)  # fmt: skip
def test_talk_and_code_about_a_file_name_none(arguments: Any) -> None:
    assert not DEFAULT.named_in(arguments)
