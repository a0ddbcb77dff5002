"""Names of things that hold secrets: `password`, `dbPassword`, `X-Api-Key`, `AWS_SECRET_KEY`.

A name is judged by its words, and the last word decides: `token_count` counts, `access_token` opens
doors. This module reads names only; what stands beside a name is for others to judge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple


class Sensitivity(NamedTuple):
    """What a name says of its value: of which kind it is, and whether it always is a secret."""

    kind: str
    sure: bool = True


#: A piece of lower-case text without which no name is sensitive.
STEMS = (
    "pass", "pwd", "pw", "secret", "token", "key", "cred", "auth", "cookie", "phrase", "mnemonic",
    "cvv", "cvc", "otp", "pin", "jwt", "bearer", "pat", "kennwort", "senha",
)  # fmt: skip
#: The same for text that is not ASCII.
STEMS_WIDE = ("contraseñ", "парол", "密码", "密碼", "口令", "パスワード", "비밀번호")

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORD_WIDE = re.compile(r"[^\W_]+")
_NAME_CHARS_MAX = 80
#: Shorter texts hold no secret that could be told from a word.
TEXT_CHARS_MIN = 5
#: Shorter single words are no secrets in themselves.
_WORD_CHARS_MAX = 16

_PASSWORD, _SECRET, _TOKEN = "password", "secret", "token"
_HEADS = {
    "password": _PASSWORD, "passwords": _PASSWORD, "passwd": _PASSWORD, "passphrase": _PASSWORD,
    "passphrases": _PASSWORD, "passcode": _PASSWORD, "pwd": _PASSWORD, "passwort": _PASSWORD,
    "kennwort": _PASSWORD, "senha": _PASSWORD, "contraseña": _PASSWORD, "пароль": _PASSWORD,
    "密码": _PASSWORD, "密碼": _PASSWORD, "口令": _PASSWORD, "パスワード": _PASSWORD,
    "비밀번호": _PASSWORD,
    "secret": _SECRET, "secrets": _SECRET, "mnemonic": _SECRET,
    "token": _TOKEN, "jwt": _TOKEN, "bearer": _TOKEN,
    "apikey": "api_key", "apikeys": "api_key",
    "credential": "credential", "credentials": "credential", "creds": "credential",
    "authorization": "authorization", "cookie": "cookie", "cookies": "cookie",
    "cvv": "card_code", "cvc": "card_code", "otp": "one_time_code", "totp": "one_time_code",
}  # fmt: skip

#: Words written together, longest first: `accesstoken`, `dbpassword`.
_ENDINGS = {
    "privatekey": "private_key", "secretkey": "secret_key", "accesskey": "secret_key",
    "signingkey": "secret_key", "encryptionkey": "secret_key", "passphrase": _PASSWORD,
    "password": _PASSWORD, "passwd": _PASSWORD, "credentials": "credential", "apikey": "api_key",
    "token": _TOKEN, "secret": _SECRET, "pwd": _PASSWORD,
}  # fmt: skip

#: Words behind the head that leave it a secret: `password_hash`, `SECRET_KEY_BASE`, `token2`.
_QUALIFIERS = frozenset(
    "value val hash hashed header string text plain plaintext raw encoded encrypted b64 base64 old "
    "new current prod production dev development stage staging test testing live sandbox base "
    "backup default primary secondary confirm confirmation confirmed again data".split()
)

#: Words before the head that make it a flag or a label: `has_password`, `forgot_password`.
_FLAGS = frozenset(
    "is has have requires require required needs need show hide enable enabled enables allow "
    "allows forgot supports support no without with num max min count".split()
)

#: Words beside `token` where it means a piece of text, a place in a list or a price.
_TOKEN_HARMLESS = frozenset(
    "next page paging pagination continuation prev previous eos bos pad unk mask sep cls stop end "
    "start begin special first last per each num max min input output prompt completion cached "
    "total cost price image audio reasoning lex lexer syntax current string sync cursor line "
    "hash punct comment current_lexer".split()
)

#: What makes a `key` a secret, and of which kind.
_KEYS = {
    "api": "api_key",
    "private": "private_key",
    "priv": "private_key",
    "ssh": "private_key",
} | (
    dict.fromkeys(
        "secret access encryption encrypt encrypted decryption signing sign master account auth "
        "service shared storage deploy hmac subscription application app consumer license ssl tls "
        "pgp gpg rsa aes jwt admin recovery wallet webhook write server consumerkey ingestion "
        "integration fernet vault".split(),
        "secret_key",
    )
)

#: What makes `pass` a password; alone it counts tests.
_PASS = frozenset(
    "db database user smtp mail email ftp admin root mysql postgres pg redis ssh login http https "
    "proxy auth my ldap imap wifi account ssl key".split()
)

#: Heads that name a secret only where the value looks like one.
_UNSURE = {"auth": "credential", "pat": _TOKEN, "pin": "pin"}

#: `tokens` are counted far more often than kept.
_TOKENS = frozenset("access refresh auth api bearer session device push secret".split())

#: Names whose words would mislead, as their words in lower case.
_PECULIAR: dict[tuple[str, ...], Sensitivity | None] = {
    ("secret", "id"): Sensitivity(_SECRET),  # Vault's, which is no id
    ("seed", "phrase"): Sensitivity(_SECRET),
    ("recovery", "phrase"): Sensitivity(_SECRET),
    ("secret", "key", "base"): Sensitivity("secret_key"),
    ("pin", "code"): Sensitivity("pin", sure=False),
    ("pass",): Sensitivity(_PASSWORD, sure=False),
    ("pw",): Sensitivity(_PASSWORD, sure=False),
    ("oldpwd",): None,  # the shell's previous directory
    ("secret", "santa"): None,
}


class Names:
    """The names that hold secrets: those known here, and those of a policy."""

    def __init__(self, sensitive: Iterable[str] = (), harmless: Iterable[str] = ()) -> None:
        self._sensitive = frozenset(map(_words, sensitive))
        self._harmless = frozenset(map(_words, harmless))
        #: Pieces of lower-case text without which `of` knows no name to be sensitive.
        more = {max(words, key=len) for words in self._sensitive if words}
        self.stems: tuple[str, ...] = (*STEMS, *STEMS_WIDE, *sorted(more))
        #: Return what a name says of its value, or None for a harmless name.
        self.of: Callable[[str], Sensitivity | None] = lru_cache(maxsize=1024)(self._of)
        #: Say whether a name is a plain word that tells nothing of its value, as most are.
        self.says_nothing: Callable[[str], bool] = lru_cache(maxsize=1024)(self._says_nothing)

    def stems_in(self, lowered: str) -> list[str]:
        """Return the stems that a text of small letters has: without one it names nothing."""
        return [stem for stem in self.stems if stem in lowered]

    def _says_nothing(self, name: str) -> bool:
        return is_word(name) and self.of(name) is None

    def _of(self, name: str) -> Sensitivity | None:
        if len(name) > _NAME_CHARS_MAX:
            return None
        lowered = name.lower()
        if not any(stem in lowered for stem in self.stems):
            return None
        words = _words(name)
        if words in self._harmless:
            return None
        if words in self._sensitive:
            return Sensitivity(_SECRET)
        return _known(words, name.isupper())


def is_word(text: str) -> bool:
    """Say whether `text` is too short, or too simple, for a secret that has no name."""
    return len(text) < _WORD_CHARS_MAX and (text.isidentifier() or len(text) < TEXT_CHARS_MIN)


@lru_cache(maxsize=1024)
def _words(name: str) -> tuple[str, ...]:
    word = _WORD if name.isascii() else _WORD_WIDE
    return tuple(found.lower() for found in word.findall(name))


@lru_cache(maxsize=1024)
def _known(words: tuple[str, ...], shouted: bool) -> Sensitivity | None:
    if not words or words[0] in _FLAGS:
        return None
    if words in _PECULIAR:
        return _PECULIAR[words]
    while len(words) > 1 and (words[-1] in _QUALIFIERS or words[-1].isdecimal()):
        words = words[:-1]
    head, before = words[-1], words[:-1]
    return _of_head(head, before) or _of_key(head, before, shouted=shouted)


def _of_head(head: str, before: tuple[str, ...]) -> Sensitivity | None:
    if head == "token" and not _TOKEN_HARMLESS.isdisjoint(before):
        return None
    if head == "tokens":
        return None if _TOKENS.isdisjoint(before) else Sensitivity(_TOKEN)
    if head in {"pass", "pw", "pswd"}:
        return Sensitivity(_PASSWORD) if before and before[-1] in _PASS else None
    if head in _UNSURE:
        return Sensitivity(_UNSURE[head], sure=False)
    kind = _HEADS.get(head) or _of_ending("".join((*before, head)), head)
    return Sensitivity(kind) if kind else None


def _of_ending(joined: str, head: str) -> str | None:
    if head.endswith("token") and head.removesuffix("token") in _TOKEN_HARMLESS:
        return None
    for ending, kind in _ENDINGS.items():
        if head.endswith(ending) or (ending.endswith("key") and joined.endswith(ending)):
            return kind
    return None


def _of_key(head: str, before: tuple[str, ...], *, shouted: bool) -> Sensitivity | None:
    if head not in {"key", "keys", "pem"} or not before:
        return None
    kind = _KEYS.get(before[-1])
    if kind:
        return Sensitivity(kind)
    # An environment variable such as STRIPE_KEY holds a key if its value looks like one.
    return Sensitivity("secret_key", sure=False) if shouted else None
