"""What a value looks like: chance or words, a secret or a reference to one.

For values whose surroundings leave it open. Nothing here knows a text or a name.
"""

from __future__ import annotations

import base64
import binascii
import re

from ..core.lazy_pattern import LazyPattern

#: Words, numbers and signs one after another: `Some-long2name_of.HTTPThing`, no work of chance.
_WORDY = LazyPattern(r"(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,}(?![a-z])|\d{1,4}(?!\d)|[/+_.:-])++")

#: A variable, a template, a mask: `$TOKEN`, `${TOKEN}`, `{{ token }}`, `<token>`, `%s`, `*****`.
_REFERENCE = LazyPattern(
    r"\$\w+|\$[{(].*|\{.*|<.*|%(?:[sdr]|\(.*|\{.*|\w+%)|[*•.x…_X-]+|!\w+ .*|\\+|"
    r"(?:your|the|some|insert|enter|put)[-_ ].*|"
    r"(?:os|process|config|settings|self|cls|env|args|secrets|vars?|std|System)\b[.:].*",
    re.DOTALL | re.IGNORECASE,
)
_NO_VALUE = frozenset(
    "none null nil true false undefined required optional string str bytes int integer any number "
    "bool boolean hidden masked redacted empty unset unknown missing invalid valid expired text "
    "object unicode char type secretstr yes no on off n/a void default lambda".split()
)
_CODE = LazyPattern(r"[A-Za-z_][\w.]*[(\[]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z|[A-Za-z_]\w*::")
_STRANGE = LazyPattern(r"[!@#$%^&*~?+=|]")
_CAMEL = LazyPattern(r"[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+)+")
_PRINTABLE = LazyPattern(r"[\t\n\r -~]+")


def is_mixed(text: str) -> bool:
    """Return whether letters and digits follow each other as by chance, not as words do."""
    letter = digit = False
    for sign in text:
        letter = letter or sign.isalpha()
        digit = digit or sign.isdecimal()
        if letter and digit:
            return _WORDY.fullmatch(text) is None
    return False


def is_mixed_case(text: str) -> bool:
    """Return whether large and small letters and digits follow each other as by chance."""
    return text.lower() != text != text.upper() and is_mixed(text)


def is_reference(value: str) -> bool:
    """Return whether `value` stands for a secret, or for none, without being one."""
    stripped = value.strip()
    return stripped.lower() in _NO_VALUE or _REFERENCE.fullmatch(stripped) is not None


def is_code(value: str) -> bool:
    """Return whether `value` reads as an expression: a call, an item, a dotted name."""
    return _CODE.match(value) is not None


def looks_secret(value: str, least: int = 6) -> bool:
    """Return whether one who meets `value` behind a name like `token` would take it for a secret.

    True from `least` characters on for what mixes letters with digits or odd signs, for long
    digits, and for letters without end; false for words, references and code.
    """
    if len(value) < least or any(map(str.isspace, value)) or is_reference(value) or is_code(value):
        return False
    letters = sum(map(str.isalpha, value))
    digits = sum(map(str.isdecimal, value))
    if digits and letters:
        return True
    if letters and _STRANGE.search(value.rstrip("!?")):
        return True
    if digits == len(value):
        return True
    return letters == len(value) >= 20 and value.isascii() and _CAMEL.fullmatch(value) is None


def decoded(value: str) -> str | None:
    """Return the ASCII text that `value` is the base64 form of, or None."""
    plain = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        body = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    if not body.isascii():
        return None
    text = body.decode("ascii")
    return text if _PRINTABLE.fullmatch(text) else None


def is_user_and_password(value: str) -> bool:
    """Return whether `value` is the base64 form of `user:password`."""
    text = decoded(value)
    return text is not None and ":" in text
