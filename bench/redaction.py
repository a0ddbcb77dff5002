"""Which kinds of secrets stay in a stored text, and which harmless lines lose something.

    python -m bench.redaction [--part PART] [--seed N] [--json FILE]

The kinds are templates in `bench/data/redaction_*.txt`, written before the rules were read: half of
each list is to work with, half kept aside, of which half became "later work" once it was scored;
those of earlier rounds are "earlier"; from "learned" `make train-heads` learns. A kind stays if a
piece of any of its drawn values is left; a line is over-redacted if it changes at all. The values
are drawn, never real.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from bench.drawn_words import AROUND, SECRETS
from meridia.ingest.redaction.sanitise import clean_text

DATA = Path(__file__).parent / "data"
PARTS = ("work", "later work", "aside", "earlier", "learned")
#: Each kind is drawn so often.
DRAWS = 3
#: A longer value may not leave a piece of this length.
PIECE_CHARS = 6
_DRAWN = re.compile(r"⟨(\w+)(?::(\d+))?⟩")
_MARK = re.compile(r"\[REDACTED:\w+\]")
_BASE64 = string.ascii_letters + string.digits + "+/"
#: Characters of a value, by the name that the templates use.
_ALPHABETS = {
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
    "az": string.ascii_lowercase,
    "url": string.ascii_letters + string.digits + "-_",
    "b64": _BASE64,
    "b32": string.ascii_uppercase + "234567",
    "digits": string.digits,
}
_WORDS = """
kestrel harbor lantern maple velvet orbit copper thistle ember walnut glacier saffron pepper anchor
meadow cobalt juniper marble falcon timber biscuit canyon raven tulip basalt clover dagger engine
fabric garlic hollow island jacket kettle lemon magnet needle oyster pillow quartz ribbon silver
hamster artichoke walrus pickle wombat teapot giraffe mustard puffin gnome badger noodle
""".split()
_SIGNS = "!#%*+?^~"


class Kind(NamedTuple):
    """A template, with the group it stands in and the part of the list it belongs to."""

    group: str
    template: str
    part: str


class Found(NamedTuple):
    """A kind that failed, with a text that shows it and what became of the text."""

    kind: Kind
    text: str
    clean: str


def read_kinds(name: str) -> list[Kind]:
    """Return the templates of `redaction_{name}.txt`, in order."""
    part, group, kinds = "", "", []
    for line in (DATA / f"redaction_{name}.txt").read_text("utf-8").splitlines():
        if line.startswith("## "):
            part, _, group = line[3:].partition(": ")
        elif line and not line.startswith("# "):
            # A colon is written so before the name of a server of packages, which no file may name.
            kinds.append(Kind(group, line.replace("‹:›", ":"), part))
    return kinds


def drawn(template: str, draw: random.Random) -> tuple[str, list[str]]:
    """Return a text of a template, and the values that were drawn for it."""
    values: list[str] = []

    def fill(place: re.Match[str]) -> str:
        value = _value(place[1], int(place[2] or 0), draw)
        if place[1] not in _NO_SECRETS:
            values.append(value)
        return value

    return _DRAWN.sub(fill, template).replace("\\n", "\n"), values


def _value(name: str, length: int, draw: random.Random) -> str:
    if name in _ALPHABETS:
        return _chars(draw, _ALPHABETS[name], length)
    return _SPECIAL[name](draw, length)


def _chars(draw: random.Random, alphabet: str, length: int) -> str:
    return "".join(draw.choices(alphabet, k=length))


def _uuid(draw: random.Random, _: int) -> str:
    digits = _chars(draw, _ALPHABETS["hex"], 32)
    return "-".join((digits[:8], digits[8:12], f"4{digits[13:16]}", digits[16:20], digits[20:]))


def _password(draw: random.Random, length: int) -> str:
    """Return a password that a program would make, with letters, digits and signs."""
    signs = [
        *draw.choices(string.ascii_letters, k=(length or 14) - 5),
        *draw.choices(string.digits, k=3),
        *draw.choices(_SIGNS, k=2),
    ]
    draw.shuffle(signs)
    return draw.choice(string.ascii_letters) + "".join(signs)[1:]


def _word_password(draw: random.Random, _: int) -> str:
    """Return a password that a person would make: a word with a number, and often a sign."""
    return (
        f"{draw.choice(_WORDS).title()}{draw.randint(12, 2099)}{draw.choice(('', '!', '#', '*'))}"
    )


def _jwt(draw: random.Random, _: int) -> str:
    parts = (f'{{"alg":"HS256","kid":"{draw.random()}"}}', f'{{"sub":"{draw.random()}"}}')
    coded = [base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts]
    return ".".join((*coded, _chars(draw, _ALPHABETS["url"], 43)))


def _joined(draw: random.Random, signs: str) -> str:
    """Return two words that a sign joins, perhaps with a number or in capitals."""
    first, second = draw.sample(_WORDS, 2)
    number, sign = draw.randint(1, 99), draw.choice(signs)
    return draw.choice(
        (
            *(f"{first}{sign}{second}", f"{first.title()}{sign}{second.title()}"),
            *(f"{first}{sign}{second}{sign}{number}", f"{first.title()}{sign}{second}{number}"),
            *(f"{first}{sign}{draw.choice(_WORDS)}{sign}{second}", f"{first[:-1]}3{sign}{second}"),
        )
    )


def _login(draw: random.Random, _: int) -> str:
    """Return what people are called where they log in; it is no secret."""
    return draw.choice(_WORDS).title() if draw.random() < 0.4 else f"{draw.choice(_WORDS)}.holm"


def _numbers(draw: random.Random, sign: str, count: int) -> str:
    most = 99 if count == 3 else 9
    return sign.join(str(draw.randint(0, most)) for _ in range(count))


def _without_length(make: Callable[[random.Random], str]) -> Callable[[random.Random, int], str]:
    return lambda draw, _: make(draw)


#: What a template draws beside its secrets.
_NO_SECRETS = {*AROUND, "name", "num"}
_SPECIAL: Mapping[str, Callable[[random.Random, int], str]] = {
    **{name: _without_length(make) for name, make in {**AROUND, **SECRETS}.items()},
    "num": lambda draw, length: _chars(draw, string.digits, length),
    "uuid": _uuid,
    "pw": _password,
    "pwa": lambda draw, _: _chars(draw, _ALPHABETS["alnum"], 14) + str(draw.randint(10, 99)),
    "wpw": _word_password,
    "wpwa": lambda draw, _: f"{draw.choice(_WORDS).title()}{draw.randint(12, 2099)}",
    "phrase": lambda draw, _: "-".join(draw.sample(_WORDS, 5)),
    "words_": lambda draw, _: "_".join(draw.sample(_WORDS, 3)),
    "word": lambda draw, _: draw.choice(_WORDS),
    "name": _login,
    "dotted": lambda draw, _: _joined(draw, "._@"),
    "two": lambda draw, _: _joined(draw, "-"),
    "signed": lambda draw, _: _joined(draw, "&!*#?+"),
    "spaced": lambda draw, length: _numbers(draw, " ", length),
    "dashed": lambda draw, length: _numbers(draw, "-", length),
    "words": lambda draw, length: " ".join(draw.sample(_WORDS, length)),
    "b64u": lambda draw, length: quote(_chars(draw, _BASE64, length), safe=""),
    "jwt": _jwt,
}


def pieces_left(clean: str, values: Sequence[str]) -> bool:
    """Return whether `clean`, marks aside, holds a piece of one of `values`."""
    shown = _MARK.sub(" ", clean)
    return any(piece in shown for value in values for piece in _pieces(value))


def _pieces(value: str) -> Iterator[str]:
    if len(value) < 2 * PIECE_CHARS:
        yield value
    else:
        yield from (value[at : at + PIECE_CHARS] for at in range(len(value) - PIECE_CHARS + 1))


def failing(name: str, kinds: Sequence[Kind], seed: int) -> list[Found]:
    """Return the kinds of secrets that stay, or of harmless lines that change."""
    found = []
    for kind in kinds:
        draw = random.Random(f"{seed} {kind.template}")
        for _ in range(DRAWS):
            text, values = drawn(kind.template, draw)
            clean = clean_text(text)
            if pieces_left(clean, values) if name == "secrets" else clean != text:
                found.append(Found(kind, text, clean))
                break
    return found


def report(name: str, parts: Sequence[str], seed: int) -> list[dict[str, object]]:
    """Print a table by group with the kinds that failed, and return its rows."""
    kinds = [kind for kind in read_kinds(name) if kind.part in parts]
    found = failing(name, kinds, seed)
    word = "stay" if name == "secrets" else "are redacted"
    rows: list[dict[str, object]] = []
    for group, of_group in groupby(kinds, key=lambda kind: kind.group):
        failed = [f for f in found if f.kind.group == group]
        total = len(list(of_group))
        rows.append({"list": name, "group": group, "kinds": total, "failed": len(failed)})
        print(f"{len(failed):4} of {total:3} {word}: {group}")
        for one in failed:
            print(f"         {one.kind.template[:90]}\n           → {one.clean[:110]!r}")
    share = len(found) / len(kinds)
    print(f"{len(found)} of {len(kinds)} kinds {word}: {share:.1%} ({', '.join(parts)})\n")
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Score the rules, print both tables and write the report that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=(*PARTS, "all"), default="all")
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args(arguments)
    parts = PARTS if chosen.part == "all" else (chosen.part,)
    rows = [row for name in ("secrets", "harmless") for row in report(name, parts, chosen.seed)]
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1), "utf-8")


if __name__ == "__main__":
    main()
