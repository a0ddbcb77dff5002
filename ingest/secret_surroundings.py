"""Secrets known by where they stand: in a URL, a header, a cookie, a command line, an element.

The value may be any word; the place says that it is a secret. Names and their values are read by
`secret_assignments`; here are the grammars that have no plain `name = value`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from ..core.lazy_pattern import LazyPattern
from .secret_formats import Span
from .secret_names import Names
from .secret_values import is_mixed, is_reference, is_user_and_password, looks_secret

_AUTHORITY = LazyPattern(r"://([^\s\"'<>`\\]{1,512})")
_SCHEME = LazyPattern(r"[A-Za-z][A-Za-z0-9+.-]{0,30}\Z")
_WEB = frozenset("http https ws wss ftp ftps sftp ssh git file svn rtsp".split())
_PORT = LazyPattern(r"\d{1,5}(?:[/?#,]|\Z)")
_PARAMETER = LazyPattern(
    r"[?&;#]([\w.\[\]-]{1,64})=((?:[^?&\s\"'<>#;`\\]|\?(?![\w.-]{1,64}=)){1,8192})"
)
#: Parameters that are secrets in a URL, whatever they are, and those that may be.
_PARAMETERS = frozenset(
    "sig signature hmac x-amz-signature x-amz-security-token x-goog-signature sas jwt "
    "x-amz-credential x-goog-credential awsaccesskeyid assertion samlresponse".split()
)
_PARAMETERS_UNSURE = frozenset("key code sid session sessionid session_id ticket auth k".split())

_AUTHORIZATION = LazyPattern(
    r"authorization[\"'`\])]{0,3}[ \t]{0,4}(?:=>|[:=,])\s{0,4}(?:[bruf]{0,2}([\"'`]))?"
)
_SCHEME_WORD = LazyPattern(
    r"(?:basic|bearer|token|digest|api-?key|negotiate|ntlm|aws4-hmac-sha256|hawk|oauth|signature"
    r"|key|bot|splunk|sso-key|genie-?key|jwt)[ \t]+",
    re.IGNORECASE,
)
_WORD = LazyPattern(r"\S{1,512}")
_BEARER = LazyPattern(r"bearer[ \t]{1,4}([\w~+/.=-]{8,})")
_BASIC = LazyPattern(r"basic[ \t]{1,4}([a-z0-9+/]{6,}={0,2})")
_DOCKER = LazyPattern(r"auth\"?\s{0,4}[:=]\s{0,4}\"?([a-z0-9+/]{6,}={0,2})(?=[\s\",;]|\Z)")
_COOKIE = LazyPattern(r"cookies?[\"'`\])]{0,3}[ \t]{0,4}[:=,][ \t]{0,4}([\"'`]?)(?=[\w.%-]{1,64}=)")
_COOKIE_PAIR = LazyPattern(r"([\w.%-]{1,64})=\"?([^;\s\"'`\\,]{1,8192})")
_COOKIE_ATTRIBUTES = frozenset(
    "path domain expires max-age samesite secure httponly priority partitioned version".split()
)
_SESSION = LazyPattern(
    r"(?:phpsessid|jsessionid|sessionid|connect\.sid|asp\.net_sessionid|laravel_session"
    r"|csrftoken|xsrf-token|remember_token|wordpress_logged_in_\w{1,64}|_session_id"
    r"|__secure-[\w-]{1,64}|__host-[\w-]{1,64}|session)=([^;\s\"'`\\,&]{8,8192})"
)
_SESSION_WORDS = (
    "phpsessid", "jsessionid", "sessionid", "connect.sid", "asp.net_session", "laravel_session",
    "csrftoken", "xsrf-token", "remember_token", "wordpress_logged", "_session_id", "__secure-",
    "__host-", "session=",
)  # fmt: skip
_ELEMENT = LazyPattern(r"<([\w:.-]{2,64})(?:\s[^<>]{0,200})?>([^<]{1,8192})</")
_PAIR = LazyPattern(
    r"(?:name|key)[\"']?\s{0,4}[:=]\s{0,4}[\"']?([\w.-]{2,64})[\"']?\s{0,4},?\s{1,40}"
    r"[\"']?value[\"']?\s{0,4}[:=]\s{0,4}(\"[^\"\n]{1,8192}|'[^'\n]{1,8192}|[^\s\"'{\[<>&*|][^\n]{0,8191})"
)
_PROSE = LazyPattern(
    r"(?:passwor[dt]s?|passphrase|passcode|pwd|pin(?: code)?|api[ -]key|access token|secret key"
    r"|contraseña|mot de passe|kennwort|senha)"
    r"(?:[ \t][^\n.!?:=]{0,40}?)?[ \t]?(?:[ \t](?:is|was|are|ist|es|est)|:)[ \t]{1,4}"
    r"[\"'“‘`«]?(\S{4,256})"
)
#: What each match of `_PROSE` begins with.
_PROSE_WORDS = (
    "passw", "passp", "passc", "pwd", "pin", "api key", "api-key", "access token", "secret key",
    "contraseñ", "mot de passe", "kennwort", "senha",
)  # fmt: skip


class _Command(NamedTuple):
    """A program or statement that holds a password, by a word of it, and where."""

    word: str
    pattern: LazyPattern


_COMMANDS = (
    _Command("curl", LazyPattern(r"\s(?:-u|--[a-z-]*user)[ =]?[\"']?[^\s:\"']{1,99}:([^\s\"']+)")),
    _Command("curl", LazyPattern(r"\s(?:-b|--cookie)[ =]?[\"']?[^\s=\"']{1,99}=([^\s\"';]+)")),
    _Command("mysql", LazyPattern(r"\bmysql\w{0,8}\b[^\n]{0,200}?\s-p[\"']?([^\s\"']{3,})")),
    _Command("sshpass", LazyPattern(r"sshpass\s+-p\s*[\"']?([^\s\"']+)")),
    _Command("login", LazyPattern(r"\blogin\b[^\n]{0,200}?\s-p[ =]?[\"']?([^\s\"']{3,})")),
    _Command("redis", LazyPattern(r"redis-cli\b[^\n]{0,200}?\s-a[ =]?[\"']?([^\s\"']+)")),
    _Command("requirepass", LazyPattern(r"requirepass\s+[\"']?([^\s\"']+)")),
    _Command("openssl", LazyPattern(r"\bpass:([^\s\"']+)")),
    _Command("identified", LazyPattern(r"identified[\w\s]{1,80}?by\s+[\"']([^\"'\n]+)")),
    _Command("jdbc:oracle", LazyPattern(r"jdbc:oracle:\w{1,16}:[^\s/]{1,64}/([^\s@]+)@")),
    _Command("chpasswd", LazyPattern(r"echo\s+[\"']?[^\s:\"']{1,64}:([^\s\"'|]+)")),
    _Command("sudo -s", LazyPattern(r"echo\s+[\"']?([^\s\"'|]+)[\"']?\s*\|\s*sudo\s+-s")),
)  # fmt: skip


def find_surrounded(
    text: str, lowered: str, names: Names, stems: Collection[str]
) -> Iterator[Span]:
    """Yield the secrets in `text` that their place tells; `lowered` has its ASCII letters small.

    `stems` are those of `names` that it has: most places have one of them.
    """
    if "://" in text:
        yield from find_in_addresses(text)
    if "=" in text:
        yield from _parameters(text, names)
        if "sess" in lowered or "token" in lowered or "__" in lowered or "logged" in lowered:
            found = _beginning(_SESSION, _SESSION_WORDS, lowered)
            yield from _groups(found, text, "session_cookie", looks_secret)
    if stems:
        yield from _sent(text, lowered)
    if "basic" in lowered:
        basic = _beginning(_BASIC, ("basic",), lowered)
        yield from _groups(basic, text, "basic_auth", is_user_and_password)
    if "<" in text:
        yield from _named(_ELEMENT.finditer(text), text, names)
    if "value" in lowered:
        yield from _named(_beginning(_PAIR, ("name", "key"), lowered), text, names)
    if stems:
        yield from _told(text, lowered)
    yield from _commanded(text, lowered)


def _sent(text: str, lowered: str) -> Iterator[Span]:
    """Yield what a client shows to be let in: in headers, cookies and a registry's settings."""
    if "auth" in lowered:
        yield from _authorizations(text, lowered)
        found = _beginning(_DOCKER, ("auth",), lowered, apart=False)
        yield from _groups(found, text, "docker_auth", is_user_and_password)
    if "cookie" in lowered:
        yield from _cookies(text, lowered)
    if "bearer" in lowered:
        found = _beginning(_BEARER, ("bearer",), lowered)
        yield from _groups(found, text, "bearer_token", _is_bearer)


def find_in_addresses(text: str) -> Iterator[Span]:
    """Yield passwords and tokens between `://` and `@`."""
    for found in _beginning(_AUTHORITY, ("://",), text, apart=False):
        rest, start = found[1], found.start(1)
        scheme = _SCHEME.search(text, max(0, found.start() - 32), found.start())
        web = scheme is not None and scheme[0].lower() in _WEB
        span = _credentials(rest, start, web=web)
        if span:
            yield span


def _credentials(rest: str, start: int, *, web: bool) -> Span | None:
    if web:
        rest = re.split(r"[/?#]", rest, maxsplit=1)[0]
    who, at, _ = rest.rpartition("@")
    if not at:
        return None
    user, colon, password = who.partition(":")
    if not colon:
        if is_mixed(user) and len(user) >= 16:
            return Span(start, start + len(user), "url_password")
        return None
    if "/" in user or _PORT.match(password) or is_reference(password) or not password:
        return None
    begin = start + len(user) + 1
    kind = "url_password" if web else "connection_string"
    return Span(begin, begin + len(password), kind)


def _parameters(text: str, names: Names) -> Iterator[Span]:
    for found in _PARAMETER.finditer(text):
        name, value = found[1].lower(), found[2]
        sensitivity = names.of(found[1])
        sure = name in _PARAMETERS or (sensitivity is not None and sensitivity.sure)
        if is_reference(value):
            continue
        if sure or ((sensitivity or name in _PARAMETERS_UNSURE) and looks_secret(value, least=8)):
            yield Span(*found.span(2), "url_parameter")


def _authorizations(text: str, lowered: str) -> Iterator[Span]:
    done = 0
    for found in _beginning(_AUTHORIZATION, ("authorization",), lowered):
        if found.start() < done:
            continue
        start, end = found.end(), _line_end(text, found.end(), found[1] or "\"'")
        scheme = _SCHEME_WORD.match(text, start, end)
        if scheme is None:
            word = _WORD.match(text, start, end)
            end = word.end() if word else start
        begin = scheme.end() if scheme else start
        value = text[begin:end].rstrip(" \t\r\\")
        if value and not is_reference(value) and (scheme or looks_secret(value, least=8)):
            done = begin + len(value)
            yield Span(begin, done, "authorization")


def _cookies(text: str, lowered: str) -> Iterator[Span]:
    done = 0
    for found in _beginning(_COOKIE, ("cookie",), lowered):
        if found.start() < done:
            continue
        done = _line_end(text, found.end(), found[1])
        for pair in _COOKIE_PAIR.finditer(text, found.end(), done):
            if pair[1].lower() not in _COOKIE_ATTRIBUTES:
                yield Span(*pair.span(2), "session_cookie")


def _line_end(text: str, start: int, quotes: str) -> int:
    """Return where the line that `start` is in ends, or the first of `quotes` behind it."""
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    for quote in quotes or "":
        closing = text.find(quote, start, end)
        end = closing if closing >= 0 else end
    return end


def _groups(
    matches: Iterable[re.Match[str]],
    text: str,
    kind: str,
    accept: Callable[[str], bool],
) -> Iterator[Span]:
    for found in matches:
        start, end = found.span(1)
        value = text[start:end]
        if not is_reference(value) and accept(value):
            yield Span(start, end, kind)


def _named(matches: Iterable[re.Match[str]], text: str, names: Names) -> Iterator[Span]:
    for found in matches:
        sensitivity = names.of(text[found.start(1) : found.end(1)])
        start, end = found.span(2)
        value = text[start:end].strip("\"'")
        if sensitivity is None or not value.strip() or is_reference(value):
            continue
        if sensitivity.sure or looks_secret(value, least=8):
            start += text[start:end].index(value)
            yield Span(start, start + len(value), sensitivity.kind)


def _is_bearer(value: str) -> bool:
    return looks_secret(value.rstrip("."), least=8)


def _told(text: str, lowered: str) -> Iterator[Span]:
    """Yield what prose calls a password: `my password for the wifi is hunter2`."""
    for found in _beginning(_PROSE, _PROSE_WORDS, lowered):
        start, end = found.span(1)
        value = text[start:end].rstrip(".,;:?\"'“”‘’`»)")
        if looks_secret(value, least=4):
            yield Span(start, start + len(value), "password")


def _commanded(text: str, lowered: str) -> Iterator[Span]:
    """Yield the passwords on command lines and in statements."""
    for word, pattern in _COMMANDS:
        if word in lowered:
            yield from _groups(pattern.finditer(lowered), text, "password", bool)


def _beginning(
    pattern: LazyPattern, words: tuple[str, ...], lowered: str, *, apart: bool = True
) -> Iterator[re.Match[str]]:
    """Yield the matches of `pattern` that begin with one of `words`, and where a word begins."""
    for word in words:
        place = lowered.find(word)
        while place >= 0:
            if not apart or place == 0 or not lowered[place - 1].isalnum():
                found = pattern.match(lowered, place)
                if found:
                    yield found
            place = lowered.find(word, place + 1)
