from __future__ import annotations

from meridia.ingest.redaction.scanner import find_personal


def _values(text: str) -> dict[str, str]:
    return {span.kind: text[span.start : span.end] for span in find_personal(text)}


def test_personal_data_is_found() -> None:
    for text, kind, value in [
        ("write to bob.o'neil+x@mail.example.com.", "email", "bob.o'neil+x@mail.example.com"),
        ("call +49 171 2345678 now", "phone", "+49 171 2345678"),
        ("call (555) 123-4567 now", "phone", "(555) 123-4567"),
        ("call 555-123-4567.", "phone", "555-123-4567"),
        ("call 0171 2345678", "phone", "0171 2345678"),
        ("to DE89 3704 0044 0532 0130 00 please", "iban", "DE89 3704 0044 0532 0130 00"),
        ("to GB82WEST12345698765432", "iban", "GB82WEST12345698765432"),
        ("card 4111 1111 1111 1111, 12/30", "card_number", "4111 1111 1111 1111"),
        ("in /home/bob/x", "home_directory", "/home/bob"),
        ("in C:\\Users\\Bob\\x", "home_directory", "C:\\Users\\Bob"),
        ("in /Users/bob", "home_directory", "/Users/bob"),
    ]:
        assert _values(text)[kind] == value


def test_dates_ids_and_other_numbers_are_not_personal() -> None:
    for text in [
        "2026-03-02 10:00:00", "2026-03-02T10:00:00Z", "20260302100000", "version 1.22.333.4444",
        "DE89370400440532013001", "4111 1111 1111 1112", "0000 0000 0000 0000",
        "550e8400-e29b-41d4-a716-446655440000", "@decorator", "user@localhost", "/homestead/x",
        "/var/log/x", "192.168.178.100", "1,234,567,890", "pages 100-200", "3.14159265358979",
        "room 101 102 103",
    ]:  # fmt: skip
        assert _values(text) == {}
