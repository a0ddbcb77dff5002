"""Secrets that are recognised by their own shape: tokens, key blocks, hashes of passwords.

Every format has anchors: pieces of text without one of which it cannot occur, so that a text is
cleared by looking for those alone. Nothing here knows of names or of surroundings.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache

from .rules import RedactionRule, SecretSpan, Spans, pattern, read_rules, rule_file, split, words
from .value_shapes import CHECKS, is_random

#: The length from which on a word may hold a secret of one of the formats.
_WORD_CHARS_MIN = 16
_KEY_CHARS_MAX = 32_768
#: Few ids have so many hexadecimal digits.
_LONG_ID = 40


def long_words(text: str) -> str:
    """Return what of `text` is long enough for a secret with a format, words by spaces."""
    words = text.split()
    if max(map(len, words), default=0) < _WORD_CHARS_MIN:
        return ""
    return " ".join([word for word in words if len(word) >= _WORD_CHARS_MIN])


@cache
def token_rules() -> tuple[RedactionRule, ...]:
    """Return the rules for the prefixes of vendors and for other shapes."""
    body = rule_file("formats")["prefixed"]
    prefixed = (
        RedactionRule(f"(?:{'|'.join(map(_start, starts))}){body}", kind, starts, "unbroken")
        for kind, starts in ((k, split(v)) for k, v in rule_file("formats")["prefixes"].items())
    )
    return (*prefixed, *read_rules("formats", "shapes"))


def _start(prefix: str) -> str:
    """Return a pattern for a prefix; one without a sign begins a word."""
    return ("(?<![A-Za-z0-9+/])" if prefix.isalnum() else "") + re.escape(prefix)


@cache
def random_kinds() -> frozenset[str]:
    """Return the kinds whose secrets are long and random: nobody finds them out by trying."""
    return frozenset(rule.kind for rule in token_rules()) - {"password_hash"}


def find_formats(text: str, words: str) -> Spans:
    """Yield the secrets with a format in `text`, in no order; they may overlap.

    `words` are its `long_words`.
    """
    for rule in token_rules() if words else ():
        if any(map(words.__contains__, rule.anchors)) and rule.regex.search(words):
            yield from find_by_rule(rule, text)
    if "PRIVATE KEY" in text or "PuTTY-User-Key" in text or "Static key V1" in text:
        yield from _key_blocks(text)


def find_tokens(text: str, words: str, *, sure: bool) -> Spans:
    """Yield what is built as a token: a short prefix, a sign, and a long random rest.

    A prefix that says "token" or "secret" is sure; one that nobody knows counts unless `sure`.
    Names of things, such as `user_` and `file-`, begin their numbers, and are none.
    """
    token = pattern("formats", "token")
    if not any(_is_token(match[0], sure=sure) for match in token.finditer(words)):
        return
    for match in token.finditer(text):
        if _is_token(match[0], sure=sure):
            yield SecretSpan(*match.span(), "token")


def _is_token(word: str, *, sure: bool) -> bool:
    prefix = pattern("formats", "token_prefix").match(word)
    if prefix is None:
        return False
    body = word[prefix.end() :]
    is_secret = _says_secret(prefix[0])
    if pattern("formats", "token_number").match(body):
        return is_secret is True
    if is_secret is None:
        is_secret = not sure and _is_unknown(prefix[0], body)
    least = 12 if pattern("formats", "environment").fullmatch(prefix[0]) else 20
    return (
        is_secret
        and is_random(body, least)
        and pattern("formats", "token_place").fullmatch(body) is None
    )


def _says_secret(prefix: str) -> bool | None:
    """Return whether the last known word of a prefix names a secret; None if none is known."""
    names, ending = (
        pattern("values", "runs").findall(prefix.lower()),
        pattern("formats", "token_ending"),
    )
    if len(names) > 1 and names[-1] in words("formats", "scope_words"):
        del names[-1]
    for name in reversed(names):
        if name in words("formats", "token_words") or ending.fullmatch(name):
            return True
        if name in words("formats", "thing_words"):
            return False
    return None


def _is_unknown(prefix: str, body: str) -> bool:
    """Judge a token by its prefix alone; before hexadecimal digits strictly: they number things."""
    if pattern("formats", "hexadecimal").fullmatch(body):
        kind = "hexadecimal_prefix_long" if len(body) >= _LONG_ID else "hexadecimal_prefix"
        return pattern("formats", kind).fullmatch(prefix) is not None
    return True


def find_by_rule(rule: RedactionRule, text: str) -> Spans:
    """Yield what a rule matches in `text`: the first group, or else the whole match."""
    group, accept = min(rule.regex.groups, 1), CHECKS[rule.accept]
    for match in rule.regex.finditer(text):
        if accept(match[group]) and not match[group].lower().endswith("xxxxxx"):
            yield SecretSpan(*match.span(group), rule.kind)


def _key_blocks(text: str) -> Spans:
    """Yield private keys from BEGIN to END; of half a block, what is there of the key."""
    ends = [end.span() for end in pattern("formats", "key_end").finditer(text)]
    done = 0
    for begin in pattern("formats", "key_begin").finditer(text):
        if begin.start() < done:
            continue
        place = bisect_left(ends, begin.span())
        if place < len(ends) and ends[place][0] - begin.end() <= _KEY_CHARS_MAX:
            done = ends[place][1]
            if not pattern("formats", "key_part").search(text, begin.end(), ends[place][0]):
                continue  # taken out by somebody
        else:
            body = pattern("formats", "key_lines").match(text, begin.end())
            if body is None or body.end() == begin.end():
                continue  # spoken of
            done = body.end()
        yield SecretSpan(begin.start(), done, "private_key")
    done = 0
    for start, end in ends:  # a BEGIN may be cut off: the lines above an END belong to its key
        before = text[max(done, start - _KEY_CHARS_MAX) : start]
        lines = pattern("formats", "key_lines_backwards").match(before[::-1])
        if lines and lines.end():
            yield SecretSpan(start - lines.end(), end, "private_key")
        done = end
