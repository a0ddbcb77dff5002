"""Secrets recognised by where they stand: in a URL, a header, a cookie, a command line, an element.

The rules are in `data/contexts.toml`; here are the ways in which their matches are read. Names and
their values are read by `statements`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import TypeAlias

from .rules import RedactionRule, SecretSpan, Spans, pattern, read_rules, words
from .secret_names import SecretNames
from .secret_values import CHECKS, is_mixed, is_random, is_reference, looks_secret
from .value_shapes import stands_for_secret

#: As much is read back as a word before a match may have.
_WORD_CHARS_MAX = 512
_Reader: TypeAlias = Callable[[RedactionRule, str, str, SecretNames], Spans]


def find_in_context(text: str, lowered: str, names: SecretNames, stems: Collection[str]) -> Spans:
    """Yield the secrets in `text` that their context shows; `lowered` has its letters small.

    `stems` are those of `names` that it has.
    """
    rules = read_rules("contexts")
    groups = _rules_by_anchor(stems=bool(stems), ascii_only=lowered.isascii())
    places = {place for anchor, places in groups if anchor in lowered for place in places}
    for place in sorted(places):
        rule = rules[place]
        yield from _READERS[rule.reader](rule, text, lowered, names)


@cache
def _rules_by_anchor(*, stems: bool, ascii_only: bool) -> list[tuple[str, list[int]]]:
    """Return anchors with the places of their rules.

    Those that hold a stem of a name, or letters beyond ASCII, are there only if a text may.
    """
    groups: dict[str, list[int]] = {}
    for place, rule in enumerate(read_rules("contexts")):
        for anchor in rule.anchors:
            groups.setdefault(anchor, []).append(place)
    named = SecretNames().stems_in
    return [
        (anchor, places)
        for anchor, places in groups.items()
        if (stems or not named(anchor)) and (anchor.isascii() or not ascii_only)
    ]


def find_in_addresses(text: str) -> Spans:
    """Yield passwords and tokens between `://` and `@`, and paths that open what they name."""
    lowered, names = text.lower(), SecretNames()
    for rule in read_rules("contexts"):
        if rule.reader == "address" or rule.kind == "url_key":
            yield from _READERS[rule.reader](rule, text, lowered, names)


def _read_addresses(rule: RedactionRule, text: str, *_: object) -> Spans:
    port = pattern("contexts", "port")
    for match in rule.matches(text):
        rest, place, start = match[1], match.start(), match.start(1)
        scheme = re.search(r"[A-Za-z][A-Za-z0-9+.-]{0,30}\Z", text[max(0, place - 32) : place])
        web = scheme is not None and scheme[0].lower() in words("contexts", "web_schemes")
        credentials = (re.split(r"[/?#]", rest, maxsplit=1)[0] if web else rest).rpartition("@")[0]
        user, colon, password = credentials.partition(":")
        kind = "url_password" if web or not colon else "connection_string"
        if not colon and is_mixed(user) and len(user) >= 16:
            yield SecretSpan(start, start + len(user), kind)
        elif user.lower() in words("contexts", "placeholder_users") and (
            password.lower() in words("contexts", "placeholder_passwords")
        ):
            continue  # the form of such an address
        elif (
            password
            and "/" not in user
            and not (port.match(password) or stands_for_secret(password))
        ):
            begin = start if is_random(user) else start + len(user) + 1
            yield SecretSpan(begin, start + len(credentials), kind)


def _read_values(rule: RedactionRule, text: str, lowered: str, _: SecretNames) -> Spans:
    done = 0
    for match in rule.matches(lowered):
        start, end = match.span(1)
        if start < done:  # within a secret: the check of a long value is not done again
            continue
        value = text[start:end].rstrip(rule.strip) if rule.strip else text[start:end]
        if not stands_for_secret(value) and CHECKS[rule.accept](value):
            done = start + len(value)
            yield SecretSpan(start, done, rule.kind)


def _read_before(rule: RedactionRule, text: str, lowered: str, _: SecretNames) -> Spans:
    for match in rule.matches(lowered):
        before = text[max(0, match.start() - _WORD_CHARS_MAX) : match.start()].split()
        value = before[-1].strip(rule.strip + "(«„") if before else ""
        is_word_alone = value and not any(sign in value for sign in "\"'=(){}<>")
        if is_word_alone and not stands_for_secret(value) and CHECKS[rule.accept](value):
            start = text.rindex(value, 0, match.start())
            yield SecretSpan(start, start + len(value), rule.kind)


def _read_named(rule: RedactionRule, text: str, lowered: str, names: SecretNames) -> Spans:
    for match in rule.matches(lowered):
        name, (start, end) = text[slice(*match.span(1))], match.span(2)
        sensitivity = names.of(name)
        value = text[start:end].strip("\"'")
        sure = name.lower() in rule.secret_names or (sensitivity is not None and sensitivity.sure)
        unsure = sensitivity is not None or name.lower() in rule.unsure_names
        secret = sure or (unsure and looks_secret(value, least=8))
        if secret and value.strip() and not stands_for_secret(value):
            start += text[start:end].index(value)
            kind = rule.kind or (sensitivity.kind if sensitivity else "")
            yield SecretSpan(start, start + len(value), kind)


def _read_authorizations(rule: RedactionRule, text: str, lowered: str, _: SecretNames) -> Spans:
    done = 0
    for match in rule.matches(lowered):
        if match.start() >= done:
            quote = match[1] or text[match.start() - 1 : match.start()].strip("\n\t ,{(<")
            begin, end = match.end(), _line_end(text, match.end(), quote or "")
            scheme = pattern("contexts", "authorization_scheme").match(text, begin, end)
            other = None if scheme else pattern("contexts", "other_scheme").match(text, begin, end)
            scheme = other if other and is_random(other[1]) else scheme
            if scheme:
                begin = scheme.start(1) if other else scheme.end()
                value = text[begin:end]
            else:  # a word
                value = re.split(r"\s", text[begin : min(end, begin + 512)], maxsplit=1)[0]
            value = value.rstrip(" \t\r\\")
            if value and not is_reference(value) and (scheme or looks_secret(value, least=8)):
                done = begin + len(value)
                yield SecretSpan(begin, done, rule.kind)


def _read_cookies(rule: RedactionRule, text: str, lowered: str, _: SecretNames) -> Spans:
    done = 0
    for match in rule.matches(lowered):
        if match.start() >= done:
            done = _line_end(text, match.end(), match[1])
            for pair in pattern("contexts", "cookie_pair").finditer(text, match.end(), done):
                named = pattern("contexts", "cookie_secret").match(pair[1])
                if (named or looks_secret(pair[2], least=8)) and pair[1].lower() not in words(
                    "contexts", "cookie_attributes"
                ):
                    yield SecretSpan(*pair.span(2), rule.kind)


def _line_end(text: str, start: int, quotes: str) -> int:
    """Return where the line that `start` is in ends, or the first of `quotes` behind it."""
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    for quote in quotes:
        closing = text.find(quote, start, end)
        end = closing if closing >= 0 else end
    return end


_READERS: Mapping[str, _Reader] = {
    "value": _read_values,
    "before": _read_before,
    "named": _read_named,
    "address": _read_addresses,
    "authorization": _read_authorizations,
    "cookies": _read_cookies,
}
