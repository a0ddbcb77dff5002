"""What a value looks like: random or words, a secret or a placeholder, a number with check digits.

For values whose surroundings leave it open. Nothing here knows a text or a name.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping

from ...language.analyser import stop_words
from .rules import pattern, words

_STRANGE = frozenset("!@#$%^&*~?+=|")
#: From so many letters on, chance is seen without a digit among them.
_LETTERS_CHARS_MIN = 28
#: A random value has a run without signs of so many characters, longer where there is one case.
_MIXED_RUN_MIN, _RUN_MIN = 8, 16
#: Shorter runs tell nothing of words and chance.
_LONG_RUN_MIN = 6
#: So much of a value that reads as words makes it none of chance.
_WORDS_SHARE_MAX = 0.7


def is_mixed(text: str) -> bool:
    """Return whether letters and digits follow each other as by chance, not as words do."""
    mixed = any(map(str.isalpha, text)) and any(map(str.isdecimal, text))
    return mixed and pattern("values", "wordy").fullmatch(text) is None


def is_random(value: str, least: int = 20) -> bool:
    """Return whether `least` characters or more stand together as a generator puts them.

    Words in a row, with a date or a version, are not random; nor is a number. Large and small
    letters in turn show it best; without them there must be digits in several places of one run.
    """
    if len(value) < least:
        return False
    runs = pattern("values", "runs").findall(value)
    longest = max(map(len, runs), default=0)
    if value.lower() != value != value.upper():
        digits_needed = len(value) < _LETTERS_CHARS_MIN
        if longest < _MIXED_RUN_MIN or (digits_needed and not any(map(str.isdecimal, value))):
            return False
        return not _reads_as_words([run for run in runs if len(run) >= _LONG_RUN_MIN])
    groups = [len(pattern("values", "digit_groups").findall(run)) for run in runs]
    return longest >= _RUN_MIN and max(groups) > 1


def _reads_as_words(runs: list[str]) -> bool:
    """Return whether most of what stands in runs of letters and digits reads as words."""
    words = sum(len(word) for run in runs for word in pattern("values", "words").findall(run))
    return words >= _WORDS_SHARE_MAX * sum(map(len, runs))


def is_numbered_word(value: str) -> bool:
    """Return whether `value` is a name with a number, as people make passwords and name places."""
    return pattern("values", "numbered_word").fullmatch(value) is not None


def is_key(value: str) -> bool:
    """Return whether `value`, beside the word "key" or "token", is one: random, or in groups."""
    if pattern("values", "key_groups").fullmatch(value):
        return True
    is_named = pattern("values", "address").match(value)
    return is_random(value) and not is_named


def is_measure(value: str) -> bool:
    """Return whether `value` is a version, a time, a size or an algorithm: no plain number."""
    return not value.isdecimal() and pattern("values", "known").fullmatch(value) is not None


def is_reference(value: str) -> bool:
    """Return whether `value` stands for a secret, or for none, without being one."""
    value = value.strip()
    placeholder = value.lower() in words("values", "placeholders")
    return placeholder or pattern("values", "reference").fullmatch(value) is not None


def is_folder(name: str, value: str) -> bool:
    """Return whether a name such as `PWD` stands beside a folder rather than a password."""
    return name.lower() == "pwd" and value[:1] in {"/", "~", "."}


def is_code(value: str) -> bool:
    """Return whether `value` reads as an expression: a call, an item, a dotted name."""
    return pattern("values", "code").match(value) is not None


def looks_secret(value: str, least: int = 6) -> bool:
    """Return whether one who meets `value` behind a name like `token` would take it for a secret.

    True from `least` characters on for what mixes letters with digits or odd signs, for long
    digits, and for letters without end; false for words, references and code.
    """
    if pattern("values", "app_password").fullmatch(value):
        return True
    if len(value) < least or any(map(str.isspace, value)) or is_reference(value) or is_code(value):
        return False
    letters = sum(map(str.isalpha, value))
    digits = sum(map(str.isdecimal, value))
    if digits == len(value) or (letters and digits):
        return True
    if letters == len(value):
        endless = len(value) >= 20 and value.isascii()
        return endless and pattern("values", "camel_case").fullmatch(value) is None
    return letters > 0 and not _STRANGE.isdisjoint(value.rstrip("!?"))


def decoded(value: str) -> str | None:
    """Return the ASCII text that `value` is the base64 form of, or None."""
    digits = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True).decode("ascii")
    except ValueError:
        return None
    return text if re.fullmatch(r"[\t\n\r -~]+", text) else None


def _are_rare_words(value: str) -> bool:
    """Return whether words are drawn rather than said: few of them hold a sentence together."""
    words_of = re.findall(r"[^\W\d_]+", value.lower())
    return 4 * sum(word in stop_words("english") for word in words_of) <= len(words_of)


def _is_iban(account: str) -> bool:
    """ISO 13616: moved to the end and read as a number, the country and check digits leave 1."""
    account = account.replace(" ", "")
    moved = account[4:] + account[:4]
    return len(account) >= 15 and int("".join(str(int(sign, 36)) for sign in moved)) % 97 == 1


def _is_card(number: str) -> bool:
    """ISO/IEC 7812 (Luhn): every second digit doubled, the sum ends in 0."""
    digits = [int(digit) for digit in number if digit.isdecimal()]
    doubled = [2 * digit - 9 if digit > 4 else 2 * digit for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(doubled) + sum(digits[-1::-2])) % 10 == 0


#: The checks that rules name.
CHECKS: Mapping[str, Callable[[str], bool]] = {
    "any": bool,
    "key": is_key,
    "mixed": is_mixed,
    "secret": looks_secret,
    "dotted": lambda value: "." in value,
    "user_and_password": lambda value: ":" in (decoded(value) or ""),
    "rare_words": _are_rare_words,
    "random": is_random,
    "unbroken": lambda value: (
        is_random(value)
        or any(
            is_random(run, 14) or (len(run) >= _RUN_MIN and not run.isalpha())
            for run in pattern("values", "runs").findall(value)
        )
    ),
    "with_key": lambda value: any(
        is_random(name, 16) or pattern("values", "path_key").fullmatch(name)
        for name in re.split("[/@]", value)
    ),
    "iban": _is_iban,
    "card": _is_card,
    "phone": lambda number: 9 <= sum(map(str.isdecimal, number)) <= 15,
}
