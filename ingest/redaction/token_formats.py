"""Secrets that are recognised by their own shape: tokens, key blocks, hashes of passwords.

Every format has anchors: pieces of text without one of which it cannot occur, so that a text is
cleared by looking for those alone. Nothing here knows of names or of surroundings.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from itertools import groupby

from .rules import RedactionRule, SecretSpan, Spans, pattern, read_rules, words
from .secret_values import CHECKS, is_random

#: How much of an anchor is looked for at first.
_START = 4
#: The length from which on a word may hold a secret of one of the formats.
_WORD_CHARS_MIN = 16
#: Up to this length of text, anchors are looked for one by one: no pattern need be compiled.
_FEW = 512
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
def random_kinds() -> frozenset[str]:
    """Return the kinds whose secrets are long and random: nobody finds them out by trying."""
    rules = (*read_rules("formats", "formats"), *read_rules("formats", "apart"))
    return frozenset(rule.kind for rule in rules) - {"password_hash"}


def find_formats(text: str, words: str) -> Spans:
    """Yield the secrets with a format in `text`, in no order; they may overlap.

    `words` are its `long_words`.
    """
    if words:
        near = [rule for start in _starts_in(words) for rule in _by_start()[start]]
        apart = read_rules("formats", "apart")
        far = [rule for rule in apart if any(anchor in text for anchor in rule.anchors)]
        for rule in dict.fromkeys((*near, *far)):
            if rule.spaced or rule.regex.search(words):
                yield from find_by_rule(rule, text)
    if "PRIVATE KEY" in text or "PuTTY-User-Key" in text:
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
    return (
        is_secret and is_random(body) and pattern("formats", "token_place").fullmatch(body) is None
    )


def _says_secret(prefix: str) -> bool | None:
    """Say whether a prefix names a secret or a thing, by the last word that does; None if none."""
    names = pattern("values", "runs").findall(prefix.lower())
    if len(names) > 1 and names[-1] in words("formats", "scope_words"):
        del names[-1]
    for name in reversed(names):
        if name in words("formats", "token_words") or _ends_as_token(name):
            return True
        if name in words("formats", "thing_words"):
            return False
    return None


def _ends_as_token(name: str) -> bool:
    return pattern("formats", "token_ending").fullmatch(name) is not None


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


@cache
def _by_start() -> dict[str, tuple[RedactionRule, ...]]:
    """Return the rules to be tried where an anchor begins, by the beginnings of anchors."""
    exactly: dict[str, list[RedactionRule]] = {}
    for rule in read_rules("formats", "formats"):
        for start in dict.fromkeys(anchor[:_START] for anchor in rule.anchors):
            exactly.setdefault(start, []).append(rule)
    return {
        start: tuple(r for end in range(1, _START + 1) for r in exactly.get(start[:end], ()))
        for start in exactly
    }


def _starts_in(words: str) -> list[str]:
    """Return the beginnings of anchors in `words`; of those at one place, the longest."""
    if len(words) <= _FEW:
        return [start for start in _by_start() if start in words]
    search, starts, place = _start_pattern().search, [], 0
    while match := search(words, place):
        starts.append(match[0])
        place = match.start() + 1
    return list(dict.fromkeys(starts))


@cache
def _start_pattern() -> re.Pattern[str]:
    """Return a pattern for the beginnings of all anchors, by their first letters."""
    starts = sorted(_by_start(), key=lambda start: (start[0], -len(start), start))
    branches = [
        re.escape(letter) + f"(?:{'|'.join(re.escape(start[1:]) for start in same)})"
        for letter, same in groupby(starts, key=lambda start: start[0])
    ]
    return re.compile("|".join(branches))


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
        else:
            body = pattern("formats", "key_lines").match(text, begin.end())
            done = body.end() if body else begin.end()
        yield SecretSpan(begin.start(), done, "private_key")
    done = 0
    for start, end in ends:  # a BEGIN may be cut off: the lines above an END belong to its key
        before = text[max(done, start - _KEY_CHARS_MAX) : start]
        lines = pattern("formats", "key_lines_backwards").match(before[::-1])
        if lines and lines.end():
            yield SecretSpan(start - lines.end(), end, "private_key")
        done = end
