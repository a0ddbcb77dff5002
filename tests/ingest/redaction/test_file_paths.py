from __future__ import annotations

from meridia.ingest.redaction.sanitise import PathPatterns

DEFAULT = PathPatterns()


def test_these_files_are_not_kept() -> None:
    for path in (
        ".env", "/app/.env", "deploy/.env.production", "prod.env", "server.pem", "TLS/Server.KEY",
        "~/.ssh/id_rsa", "id_ed25519", "/home/bob/.ssh/config", "backup/id_rsa.old", ".netrc",
        "C:\\Users\\bob\\.aws\\credentials", "/etc/shadow", ".docker/config.json",
    ):  # fmt: skip
        assert DEFAULT.fits(path)


def test_these_files_are_kept() -> None:
    for path in (
        ".env.example", "environment", "src/env.py", "id_rsa.pub", ".ssh/known_hosts", ".key",
        "keyboard.txt", "config.json", "etc/shadows", "pem", "aws/credentials.md", "",
    ):  # fmt: skip
        assert not DEFAULT.fits(path)


def test_the_last_pattern_that_fits_decides() -> None:
    patterns = PathPatterns(("*.txt", "!notes/*", "notes/secret.txt"))
    assert [patterns.fits(p) for p in ("a.txt", "notes/a.txt", "x/notes/secret.txt")] == [
        True,
        False,
        True,
    ]


def test_a_call_names_a_file_as_a_value_or_in_a_command() -> None:
    for arguments in (
        {"path": ".env"}, {"command": "cat a.txt <.env"}, {"cmd": ["cat", "x/.env"]},
        {"uri": "file:///app/.env"}, {"a": {"b": ["git show HEAD:.env"]}},
        {"code": "open('.env')"}, "scp h:.env .",
    ):  # fmt: skip
        assert DEFAULT.named_in(arguments)


def test_talk_and_code_about_a_file_name_none() -> None:
    for arguments in (
        {"query": "what is .env"}, {"path": "a.txt", "content": "see .env"},
        {"code": "os.env.x.key"}, {"command": "jq .key a.json"}, {}, None, 5,
    ):  # fmt: skip
        assert not DEFAULT.named_in(arguments)
