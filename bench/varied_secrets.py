"""Other values in the places of a labelled line: a net learns the place, and not the value."""

from __future__ import annotations

import base64
import random
import re
import string
from collections.abc import Sequence

_LOWER, _UPPER, _DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
_WORDS = """
acorn amber anchor apron arrow aspen badge badger bagel bakery bamboo banjo barley basil basket
beacon bishop bison blanket bobcat bottle boulder bramble breeze bridge bronze bucket butter
cactus camel candle canyon carpet castle cedar cellar cherry chimney cinder circus clover cobweb
coconut comet copper coral cotton cricket crystal curtain cushion daisy dancer dolphin dragon
drizzle dumpling eagle ember falcon feather ferry fiddle finch flamingo forest fossil fountain
garden ginger glacier goblin granite guitar hammer harvest hazel heron hollow honey hornet iceberg
island ivory jasmine jigsaw jungle kettle kitten ladder lagoon lantern lemon lizard lobster magnet
mango maple marble meadow melon mirror mitten monkey mosaic muffin nectar nickel nutmeg oasis
olive onion orchid otter oyster paddle panther parrot pebble pepper pickle pigeon pilgrim pillow
planet plum pocket puddle puffin pumpkin quartz rabbit radish raven ribbon river rocket saddle
salmon sandal shadow silver sparrow spider spruce squirrel summer sunset tiger timber toffee
tomato tractor tulip turtle umbrella valley velvet violin walnut walrus willow window winter
wizard yogurt zebra apfel blume drossel fenster garten himmel kirsche lampe regen sonne vogel
wolke bonjour chat fromage maison soleil amigo cielo gato luna mesa playa cavallo gatto mare
strada
""".split()
_SIGNS = "!#$%&*+-=?@._~^"
_PREFIX = re.compile(r"([A-Za-z]{1,12}\d{0,2}[_.:/-]+){1,4}")
#: What numbers a thing, or looks as if it did.
_IDS = re.compile(
    r"(?<![\w/+.-])(?:[0-9a-f]{16,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?:[a-z]{1,8}[_-]){1,2}[A-Za-z0-9]{12,40}|[A-Za-z0-9]{18,44}|[A-Z0-9]{6,14}|\d{4,12})"
    r"(?![\w/+-])"
)
_LONG, _PERSONS = 200, 24


def varied(text: str, secrets: Sequence[str], draw: random.Random) -> tuple[str, list[str]] | None:
    """Return a line with other secrets, or with other ids if it has none; None where none fits."""
    if not secrets:
        other = _IDS.sub(lambda match: _other_id(match[0], draw), text)
        return None if other == text else (other, [])
    values = []
    for secret in dict.fromkeys(secrets):
        value = _other(secret, draw)
        if value is None or value == secret or secret not in text:
            return None
        text = text.replace(secret, value)
        values.append(value)
    return text, values


def _other(value: str, draw: random.Random) -> str | None:
    """Return another value of the same sort."""
    if re.fullmatch(r"[\d .*#-]{2,24}", value):
        return _number(value, draw)
    if "\n" in value or len(value) > _LONG or not value.isascii():
        return None
    if _is_random(value):
        return token(draw) if draw.random() < 1 / 3 else _same_build(value, draw)
    if " " in value and value.replace(" ", "").isalpha():
        return " ".join(draw.sample(_WORDS, len(value.split())))
    if re.fullmatch(r"[A-Za-z]{3,14}", value):
        word = draw.choice(_WORDS)
        return word if value.islower() else word.title() if value.istitle() else chosen(draw)
    return None if " " in value or len(value) > _PERSONS else chosen(draw)


def _other_id(value: str, draw: random.Random) -> str:
    digits = sum(map(str.isdecimal, value))
    if digits < 2:
        return value
    if digits == len(value):
        return _number(value, draw)
    is_bare = _is_random(value) and len(value) > 18 and not re.match(r"[a-z]{1,8}[_-]", value)
    return token(draw) if is_bare and draw.random() < 0.3 else _same_build(value, draw)


def _is_random(value: str) -> bool:
    is_long = len(value) >= 14 and " " not in value and sum(map(str.isdecimal, value)) >= 2
    return is_long and not re.search(r"[a-z]{6}|[A-Z][a-z]{5}", value)


def _same_build(value: str, draw: random.Random) -> str:
    """Return a value with the same prefix, and behind it letters for letters."""
    prefix = _PREFIX.match(value)
    start = prefix.end() if prefix and prefix.end() < len(value) - 7 else 0
    body = value[start:]
    letters = [(_DIGITS, _DIGITS), (_LOWER, _LOWER), (_UPPER, _UPPER)]
    if re.fullmatch(r"[0-9a-f-]+|[0-9A-F-]+", body) and not body.replace("-", "").isdecimal():
        digits = "0123456789abcdef" if body.islower() else "0123456789ABCDEF"
        letters = [(digits, digits)]

    def other(sign: str) -> str:
        return next((draw.choice(to) for of, to in letters if sign in of), sign)

    return value[:start] + "".join(map(other, body))


def _number(value: str, draw: random.Random) -> str:
    return "".join(draw.choice(_DIGITS) if sign.isdecimal() else sign for sign in value)


def _chars(draw: random.Random, alphabet: str, length: int) -> str:
    return "".join(draw.choices(alphabet, k=length))


def token(draw: random.Random) -> str:
    """Return what a program draws: of one alphabet or another."""
    size = draw.choice((16, 20, 24, 26, 27, 32, 32, 36, 40, 43, 44, 48, 64))
    alphabet = draw.choice(
        (
            *(_LOWER + _UPPER + _DIGITS, _LOWER + _DIGITS, "0123456789abcdef", _UPPER + _DIGITS),
            *(_LOWER + _UPPER + _DIGITS + "-_", ""),
        )
    )
    packed = base64.b64encode(draw.randbytes(size // 4 * 3)).decode()
    return _chars(draw, alphabet, size) if alphabet else packed


def chosen(draw: random.Random) -> str:
    """Return a password as people choose them."""

    def cased(word: str) -> str:
        return draw.choice((word, word.title(), word.title(), word.upper()))

    first, second, third = draw.sample(_WORDS, 3)
    number = str(
        draw.choice((draw.randint(1, 99), draw.randint(100, 999), draw.randint(1950, 2027)))
    )
    sign, joint = draw.choice(_SIGNS), draw.choice("-_.!+")
    made = _chars(draw, _LOWER + _UPPER + _DIGITS + _SIGNS, draw.choice((8, 10, 12, 14, 16)))
    broken = first.replace("e", "3").replace("o", "0").replace("i", "1")
    return draw.choice(
        (
            *(cased(first) + number, cased(first) + number + sign, cased(first) + sign + number),
            *(cased(first) + joint + cased(second), cased(first) + cased(second) + number),
            *(f"{first}-{second}-{number}", number + cased(first), f"{first}.{second}.{third}"),
            *(broken + draw.choice(("", number)), cased(first) + sign + cased(second)),
            *(made, made),
            *(cased(first)[:4] + sign + cased(second)[:4] + number, first + second),
        )
    )
