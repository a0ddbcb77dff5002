"""Find what tells who somebody is: addresses, numbers, accounts, cards, home directories.

For texts that leave for another system. Patterns with check digits where there are some; names of
people are not looked for: they are what a memory is about.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.lazy_pattern import LazyPattern
from .secret_formats import Span

_EMAIL = LazyPattern(r"[\w.+%'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}")
_PHONE = LazyPattern(
    r"(?<![\w+])\+\d{1,3}(?:[ .()/\u00a0-]{0,3}\d){7,13}(?!\d)"  # +49 171 2345678
    r"|(?<![\w.,:/+-])(?:"
    r"\(\d{2,5}\)[ ./-]?\d{2,4}(?:[ .-]?\d{2,4}){1,3}"  # (555) 123-4567
    r"|\d{3}[ .-]\d{3}[ .-]\d{4}"  # 555-123-4567
    r"|0\d{1,4}[ /-]\d{3,4}(?:[ -]?\d{2,5}){0,3}"  # 0171 2345678
    r")(?![\w-]|[.,:]\d)"
)
_CARD = LazyPattern(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")
_IBAN = LazyPattern(
    r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
)
_HOME = LazyPattern(
    r"(?:(?<![\w.])/(?:home|Users)/|(?<![\w.])/var/home/|[A-Za-z]:[\\/]{1,4}Users[\\/]{1,4})"
    r"(?!Shared\b|Public\b|linuxbrew\b)[^\s/\\:\"'<>|]{1,64}|(?<![\w.])/root(?=/)"
)


def find_personal(text: str) -> Iterator[Span]:
    """Yield the personal data in `text`, the surest kinds first; spans may overlap."""
    if "@" in text:
        for found in _EMAIL.finditer(text):
            yield Span(*found.span(), "email")
    if "/" in text or "\\" in text:
        for found in _HOME.finditer(text):
            yield Span(*found.span(), "home_directory")
    for kind, pattern, checks in (
        ("iban", _IBAN, _checks_as_iban),
        ("card_number", _CARD, _checks_as_card),
        ("phone", _PHONE, _is_phone),
    ):
        for found in pattern.finditer(text):
            if checks(found[0]):
                yield Span(*found.span(), kind)


def _checks_as_iban(account: str) -> bool:
    """ISO 13616: moved to the end and read as a number, the country and check digits leave 1."""
    account = account.replace(" ", "")
    moved = account[4:] + account[:4]
    return len(account) >= 15 and int("".join(str(int(sign, 36)) for sign in moved)) % 97 == 1


def _checks_as_card(number: str) -> bool:
    """ISO/IEC 7812 (Luhn): every second digit doubled, the sum ends in 0."""
    digits = [int(digit) for digit in number if digit.isdecimal()]
    doubled = [2 * digit - 9 if digit > 4 else 2 * digit for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(doubled) + sum(digits[-1::-2])) % 10 == 0


def _is_phone(number: str) -> bool:
    return 9 <= sum(map(str.isdecimal, number)) <= 15
