"""Secrets that are known by their own shape: tokens with a prefix, key blocks, hashes of passwords.

Every format has anchors: pieces of text without one of which it cannot occur, so that a text is
cleared by looking for those alone. The patterns are written for noise: what has a prefix of its
own is found in the middle of other letters too. Nothing here knows of names or of surroundings.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from typing import NamedTuple

from ..core.lazy_pattern import LazyPattern
from .secret_values import is_mixed, is_mixed_case


class Span(NamedTuple):
    """Where a secret stands in a text, and of which kind it is."""

    start: int
    end: int
    kind: str


class Format(NamedTuple):
    """One kind of secret. Its first group, or else the whole match, is the secret."""

    kind: str
    anchors: tuple[str, ...]
    pattern: str
    accept: Callable[[str], bool] | None = None


def _has_parts(text: str) -> bool:
    return "." in text


def _token(
    kind: str, prefixes: str, body: str, accept: Callable[[str], bool] | None = None
) -> Format:
    anchors = tuple(prefixes.split())
    return Format(kind, anchors, f"(?:{'|'.join(map(re.escape, anchors))}){body}", accept)


#: Lines of base64.
_BODY = r"(?:\s{0,8}[A-Za-z0-9+/]{16,}+={0,2})++"
_HEX32, _ID = r"[0-9a-f]{32,}", r"[A-Za-z0-9_-]"

#: Shapes that no other text has.
FORMATS: tuple[Format, ...] = (
    _token("aws_access_key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16,}"),
    _token("aws_bedrock_key", "ABSKQmVkcm9ja", r"[A-Za-z0-9+/]{40,}={0,2}"),
    _token("gcp_api_key", "AIza", rf"{_ID}{{35,}}"),
    _token("google_oauth", "ya29. GOCSPX- 1//0", rf"{_ID}{{24,}}"),
    _token("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{16,}"),
    _token("github_token", "github_pat_", r"[A-Za-z0-9_]{20,}"),
    _token(
        "gitlab_token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- GR1348941",
        r"[A-Za-z0-9_=-]{16,}(?:\.[A-Za-z0-9_-]+)*",
    ),
    Format("slack_token", ("xox", "xapp-"), r"(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{10,}"),
    Format("slack_webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/\w+/([A-Za-z0-9/_-]{20,})"),
    Format("stripe_key", ("k_live_", "k_test_"), r"[rs]k_(?:live|test)_[A-Za-z0-9]{10,}"),
    _token("stripe_key", "whsec_", r"[A-Za-z0-9+/]{20,}={0,2}"),
    _token("anthropic_key", "sk-ant-", rf"{_ID}{{16,}}"),
    Format("openai_key", ("sk-",), rf"(?<![A-Za-z0-9])sk-{_ID}{{20,}}", is_mixed),
    Format("openai_key", ("sk-",), r"sk-[A-Za-z0-9]{32,}", is_mixed),
    _token("openai_key", "sk-proj- sk-svcacct- sk-admin- sk-or-v1-", rf"{_ID}{{20,}}"),
    Format("openai_key", ("T3BlbkFJ",), rf"{_ID}{{8,128}}?T3BlbkFJ{_ID}{{8,}}"),
    _token("npm_token", "npm_", r"[A-Za-z0-9]{30,}"),
    _token("pypi_token", "pypi-", rf"{_ID}{{40,}}"),
    Format("twilio_key", ("SK", "AC"), rf"(?:SK|AC){_HEX32}"),
    Format("sendgrid_key", ("SG.",), rf"SG\.{_ID}{{16,}}\.{_ID}{{16,}}"),
    _token("mailgun_key", "key-", _HEX32),
    _token("square_token", "sq0atp- sq0csp- sq0idp-", rf"{_ID}{{22,}}"),
    Format("square_token", ("EAAA",), rf"(?<![\w+/=-])EAAA{_ID}{{60}}(?![\w+/=-])"),
    Format("azure_client_secret", ("8Q~",), r"[\w~.-]{3}8Q~[\w~.-]{30,}"),
    Format("azure_storage_key", ("AccountKey", "AccessKey"), r"A\w{4,6}Key=([\w+/]{40,}={0,2})"),
    Format("jwt", ("eyJ",), rf"eyJ{_ID}{{8,}}+(?:\.{_ID}{{4,}}+){{0,4}}", _has_parts),
    Format("discord_webhook", ("/api/webhooks/",), rf"/api/webhooks/\d+/({_ID}{{40,}})"),
    _token("docker_token", "dckr_pat_ dckr_oat_", rf"{_ID}{{20,}}"),
    _token("heroku_key", "HRKU-", rf"{_ID}{{30,}}"),
    _token("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{32,}"),
    _token("shopify_token", "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_", r"[0-9a-fA-F]{32,}"),
    _token("vault_token", "hvs. hvb. hvr.", rf"{_ID}{{20,}}"),
    _token("age_key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{20,}"),
    _token("huggingface_token", "hf_ api_org_", r"[A-Za-z0-9]{30,}"),
    _token("model_provider_key", "gsk_ pplx- xai- r8_ fw_ csk-", r"[A-Za-z0-9]{30,}", is_mixed),
    _token("model_provider_key", "nvapi- jina_ tgp_v1_", rf"{_ID}{{32,}}", is_mixed),
    _token("databricks_token", "dapi", _HEX32),
    _token("linear_key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{32,}"),
    _token("notion_token", "ntn_ secret_", r"[A-Za-z0-9]{40,}"),
    _token("atlassian_token", "ATATT3 ATCTT3", r"[\w=-]{24,}"),
    Format("atlassian_token", ("ATBB",), r"(?<![A-Za-z0-9+/])ATBB[A-Za-z0-9]{24,}"),
    _token("postman_key", "PMAK-", r"[0-9a-f-]{40,}"),
    _token("new_relic_key", "NRAK- NRII-", rf"{_ID}{{24,}}"),
    _token("grafana_token", "glsa_ glc_ eyJrIjoi", r"[A-Za-z0-9+/_=]{30,}"),
    _token("sentry_token", "sntrys_ sntryu_", r"[A-Za-z0-9+/_=-]{40,}"),
    _token("pulumi_token", "pul-", r"[0-9a-f]{40,}"),
    Format("terraform_token", (".atlasv1.",), rf"[A-Za-z0-9]{{14}}\.atlasv1\.{_ID}{{40,}}"),
    Format("fly_token", ("fm1", "fm2_", "fo1_"), r"(?:fm1[ar]_|fm2_|fo1_)[A-Za-z0-9+/_=-]{30,}"),
    _token("netlify_token", "nfp_ nfc_ nfo_ nfb_", r"[A-Za-z0-9_]{32,}", is_mixed),
    _token("rubygems_key", "rubygems_", r"[0-9a-f]{40,}"),
    Format("nuget_key", ("oy2",), r"(?<![A-Za-z0-9])oy2[a-z0-9]{43}(?![A-Za-z0-9])"),
    Format("doppler_token", ("dp.",), r"dp\.[a-z]{2,5}\.(?:[\w-]+\.)?[A-Za-z0-9]{40,}"),
    Format("planetscale_token", ("pscale_",), r"pscale_(?:tkn|pw|oauth)_[\w.=-]{30,}"),
    _token("supabase_key", "sbp_ sb_secret_", r"[A-Za-z0-9_]{20,}", is_mixed),
    Format("airtable_token", ("pat",), r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    Format("facebook_token", ("EAA",), r"(?<![\w+/=-])EAA[A-Za-z0-9]{90,}"),
    Format("firebase_key", ("APA91b",), rf"(?:{_ID}{{8,16}}:)?APA91b{_ID}{{80,}}"),
    _token("artifactory_token", "cmVmdGtu", r"[A-Za-z0-9]{50,}"),
    Format("artifactory_token", ("AKCp",), r"(?<![A-Za-z0-9+/])AKCp[A-Za-z0-9]{50,}"),
    _token("sonar_token", "squ_ sqp_ sqa_", r"[0-9a-f]{40,}"),
    _token("brevo_key", "xkeysib- xsmtpsib-", rf"{_ID}{{40,}}"),
    _token("tailscale_key", "tskey-", rf"{_ID}{{20,}}"),
    _token("onepassword_token", "ops_eyJ", r"[A-Za-z0-9+/_=-]{40,}"),
    Format("alibaba_key", ("LTAI",), r"(?<![A-Za-z0-9+/])LTAI[A-Za-z0-9]{16,26}(?![A-Za-z0-9])"),
    _token("wallet_key", "xprv", r"[1-9A-HJ-NP-Za-km-z]{90,}"),
    Format("elevenlabs_key", ("sk_",), r"(?<![A-Za-z0-9])sk_[0-9a-f]{48}"),
    _token("ssh_private_key", "b3BlbnNzaC1rZXktdjE", _BODY),
    Format("private_key", ("ADANBgkqhkiG9w0BAQEFAASC",), rf"MII\w{{1,8}}ADANBgkqhkiG{_BODY}"),
    Format("private_key", ("IBAAKCAQEA", "IBAAKCAgEA"), rf"MI\w{{2,4}}IBAAKCA[Qg]EA{_BODY}"),
    Format("password_hash", ("$2",), r"\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{20,}"),
    Format("password_hash", ("$1$", "$5$", "$6$", "$y$"), r"\$[156y]\$[./A-Za-z0-9$=]{20,}"),
    Format("password_hash", ("$argon2", "pbkdf2_sha"), r"(?:\$argon2|pbkdf2_sha)\w+\$[^\s\"]{20,}"),
)  # fmt: skip

_AWS_SECRET = Format(
    "aws_secret_key",
    ("AKIA", "ASIA", "aws", "AWS", "Aws", "amazon"),
    r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])",
    is_mixed_case,
)

_HEROKU = Format(
    "heroku_key",
    ("heroku", "Heroku", "HEROKU"),
    r"(?i:heroku)[\w .\"':=>-]{0,40}?"
    r"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})",
)
#: Formats whose anchors are no prefixes: they stand apart, or within.
_APART = (
    _AWS_SECRET,
    _HEROKU,
    Format("discord_token", (".",), rf"[MNO]{_ID}{{23,28}}\.{_ID}{{6,7}}\.{_ID}{{27,}}"),
    Format("telegram_token", (":",), rf"\d{{8,10}}:{_ID}{{35,}}", is_mixed),
    Format("mailgun_key", ("-",), r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9a-f-])"),
    Format("mailchimp_key", ("-us",), r"[0-9a-f]{32}-us\d{1,2}"),
)

#: Kinds whose secrets are long and random: nobody finds them out by trying.
RANDOM_KINDS = {format.kind for format in (*FORMATS, *_APART)} - {"password_hash"}

#: How much of an anchor is looked for at first.
_START = 4
#: The length from which on a word may hold a secret of a known shape.
_WORD_CHARS_MIN = 16
#: Up to this length of text, anchors are looked for one by one: no pattern need be compiled.
_FEW = 512

_KEY_BEGIN = LazyPattern(
    r"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    r"|PuTTY-User-Key-File-\d:[^\n]*"
)
_KEY_END = LazyPattern(
    r"-{4,5} ?END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC: \w+"
)
_BREAK = r"(?:\\++[nrt]|[nrt]?\\++|[\s\"'+,>.]|[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,99})"
_LINES = rf"(?:{_BREAK}*+[A-Za-z0-9+/=]{{12,}}+)*+"
#: Lines of a key, their breaks written in any way; the last one is short.
_KEY_LINES = LazyPattern(rf"{_LINES}(?:{_BREAK}*+[A-Za-z0-9+/]{{1,11}}={{1,2}})?")
_KEY_LINES_BACKWARDS = LazyPattern(rf"(?:{_BREAK}*+[A-Za-z0-9+/=]{{1,11}}(?={_BREAK}))?{_LINES}")
_KEY_CHARS_MAX = 32_768


def long_words(text: str) -> str:
    """Return what of `text` is long enough for a secret of a known shape, words by spaces."""
    words = text.split()
    if max(map(len, words), default=0) < _WORD_CHARS_MIN:
        return ""
    return " ".join([word for word in words if len(word) >= _WORD_CHARS_MIN])


def find_formats(text: str, words: str) -> Iterator[Span]:
    """Yield the secrets of a known shape in `text`, in no order; they may overlap.

    `words` are its `long_words`.
    """
    if words:
        present = [format for anchor in _anchors_in(words) for format in _by_anchor()[anchor]]
        far = [format for format in _APART if any(anchor in text for anchor in format.anchors)]
        for format in dict.fromkeys((*present, *far)):
            if format is _HEROKU or _compiled(format.pattern).search(words):
                yield from _matches(format, text)
    if "PRIVATE KEY" in text or "PuTTY-User-Key" in text:
        yield from _key_blocks(text)


@cache
def _by_anchor() -> dict[str, tuple[Format, ...]]:
    """Return the formats to be looked for where an anchor begins, by the beginnings of anchors."""
    exactly: dict[str, list[Format]] = {}
    for format in FORMATS:
        for start in dict.fromkeys(anchor[:_START] for anchor in format.anchors):
            exactly.setdefault(start, []).append(format)
    return {
        start: tuple(f for end in range(1, _START + 1) for f in exactly.get(start[:end], ()))
        for start in exactly
    }


def _anchors_in(words: str) -> list[str]:
    """Return the beginnings of anchors in `words`; of those at one place, the longest."""
    if len(words) <= _FEW:
        return [start for start in _by_anchor() if start in words]
    search, found, place = _anchor_pattern().search, [], 0
    while match := search(words, place):
        found.append(match[0])
        place = match.start() + 1
    return list(dict.fromkeys(found))


@cache
def _anchor_pattern() -> re.Pattern[str]:
    """Return a pattern for the beginnings of all anchors, by their first letters."""
    starts = sorted(_by_anchor(), key=lambda start: (start[0], -len(start), start))
    by_letter = groupby(starts, key=lambda start: start[0])
    branches = [
        re.escape(letter) + f"(?:{'|'.join(re.escape(start[1:]) for start in same)})"
        for letter, same in by_letter
    ]
    return re.compile("|".join(branches))


def _matches(format: Format, text: str) -> Iterator[Span]:
    regex = _compiled(format.pattern)
    group = min(regex.groups, 1)
    for match in regex.finditer(text):
        if format.accept is None or format.accept(match[group]):
            yield Span(*match.span(group), format.kind)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _key_blocks(text: str) -> Iterator[Span]:
    """Yield private keys from BEGIN to END; of half a block, what is there of the key."""
    ends = [end.span() for end in _KEY_END.finditer(text)]
    done = 0
    for begin in _KEY_BEGIN.finditer(text):
        if begin.start() < done:
            continue
        place = bisect_left(ends, begin.span())
        end = ends[place] if place < len(ends) else None
        if end and end[0] - begin.end() <= _KEY_CHARS_MAX:
            done = end[1]
        else:
            body = _KEY_LINES.match(text, begin.end())
            done = body.end() if body else begin.end()
        yield Span(begin.start(), done, "private_key")
    yield from _key_endings(text, ends)


def _key_endings(text: str, ends: list[tuple[int, int]]) -> Iterator[Span]:
    """Yield the lines of keys before an END, as far up as they reach: BEGIN may be cut off."""
    done = 0
    for start, end in ends:
        before = text[max(done, start - _KEY_CHARS_MAX) : start]
        lines = _KEY_LINES_BACKWARDS.match(before[::-1])
        if lines and lines.end():
            yield Span(start - lines.end(), end, "private_key")
        done = end
