"""Secrets made up at random, of every kind, and the places of an event where they are planted.

None was ever in force. A sample has the text as people write it, and in it the parts that must not
be kept.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import Any
from urllib.parse import quote

LETTERS = string.ascii_letters + string.digits
_URL, _HEX, _UPPER = LETTERS + "-_", "0123456789abcdef", string.ascii_uppercase + "234567"
_SIGNS = LETTERS + "!$*_^~"


@dataclass(frozen=True)
class SecretSample:
    """A secret as it is written, the parts that must go, and whether noise may touch it."""

    kind: str
    text: str
    secrets: tuple[str, ...]
    has_prefix: bool = False


@dataclass(frozen=True)
class Planted:
    """An event with a secret in it, and where the secret was put."""

    sample: SecretSample
    place: str
    event: dict[str, Any]


def _of(draw: random.Random, alphabet: str, length: int) -> str:
    body = "".join(draw.choices(alphabet, k=length - 2))
    # A token of the real kind has at least a letter and a digit.
    sure = draw.choice([c for c in alphabet if c.isalpha()]) + draw.choice(
        [c for c in alphabet if c.isdigit()]
    )
    return sure[0] + body + sure[1]


def _token(kind: str, prefix: str, alphabet: str, length: int) -> Callable[..., SecretSample]:
    def make(draw: random.Random) -> SecretSample:
        token = prefix + _of(draw, alphabet, length)
        return SecretSample(kind, token, (token,), has_prefix=True)

    return make


def _within(kind: str, pattern: str, alphabet: str, length: int) -> Callable[..., SecretSample]:
    """Make a sample of a secret that stands in a text, at `{}`."""

    def make(draw: random.Random) -> SecretSample:
        secret = _of(draw, alphabet, length)
        return SecretSample(kind, pattern.replace("{}", secret), (secret,))

    return make


def _jwt(draw: random.Random) -> SecretSample:
    parts = [json.dumps({"alg": "HS256"}), json.dumps({"sub": _of(draw, LETTERS, 12)})]
    encoded = [base64.urlsafe_b64encode(segment.encode()).decode().rstrip("=") for segment in parts]
    token = ".".join((*encoded, _of(draw, _URL, 43)))
    return SecretSample("jwt", token, (token,), has_prefix=True)


def _pem(label: str, lines: int) -> Callable[..., SecretSample]:
    def make(draw: random.Random) -> SecretSample:
        body = [_of(draw, LETTERS + "+/", 64) for _ in range(lines)] + [
            _of(draw, LETTERS, 30) + "=="
        ]
        text = "\n".join((f"-----BEGIN {label}-----", *body, f"-----END {label}-----"))
        return SecretSample("private_key", text, tuple(body))

    return make


def _basic(pattern: str, kind: str) -> Callable[..., SecretSample]:
    def make(draw: random.Random) -> SecretSample:
        pair = base64.b64encode(f"bob:{_of(draw, _SIGNS, 14)}".encode()).decode()
        return SecretSample(kind, pattern.replace("{}", pair), (pair,))

    return make


def _aws_pair(draw: random.Random) -> SecretSample:
    key, secret = "AKIA" + _of(draw, _UPPER, 16), _of(draw, LETTERS + "/+", 40)
    return SecretSample("aws_secret_key", f"{key} {secret}", (key, secret))


def _discord(draw: random.Random) -> SecretSample:
    token = f"M{_of(draw, _URL, 23)}.{_of(draw, _URL, 6)}.{_of(draw, _URL, 38)}"
    return SecretSample("discord_token", token, (token,))


def _encoded(draw: random.Random) -> SecretSample:
    run = base64.b64encode(f"GITHUB_TOKEN=ghp_{_of(draw, LETTERS, 36)}\n".encode()).decode()
    return SecretSample("encoded_secret", run, (run.rstrip("="),))


def _phrase(kind: str, pattern: str, count: int) -> Callable[..., SecretSample]:
    """Make a sample of words that stand in a text, at `{}`."""

    def make(draw: random.Random) -> SecretSample:
        words = ["".join(draw.choices("bcdfgklmnprst", k=6)) + "a" for _ in range(count)]
        return SecretSample(kind, pattern.replace("{}", " ".join(words)), tuple(words))

    return make


def _code(pattern: str) -> Callable[..., SecretSample]:
    def make(draw: random.Random) -> SecretSample:
        code = str(draw.randrange(10**7, 10**8))
        return SecretSample("one_time_code", pattern.replace("{}", code), (code,))

    return make


def _uuid(prefix: str) -> Callable[..., SecretSample]:
    def make(draw: random.Random) -> SecretSample:
        token = prefix + "-".join(_of(draw, _HEX, length) for length in (8, 4, 4, 4, 12))
        return SecretSample("launchdarkly_key", token, (token,))

    return make


MAKERS: tuple[Callable[[random.Random], SecretSample], ...] = (
    _token("aws_access_key", "AKIA", _UPPER, 16),
    _aws_pair,
    _within("aws_secret_key", "aws_secret_access_key = {}", LETTERS + "/+", 40),
    _token("google_key", "AIza", _URL, 35),
    _token("google_key", "GOCSPX-", _URL, 28),
    _token("github_token", "ghp_", LETTERS, 36),
    _token("github_token", "ghs_", LETTERS, 36),
    _token("github_token", "github_pat_", LETTERS + "_", 82),
    _token("gitlab_token", "glpat-", _URL, 20),
    _token("slack_token", "xoxb-", LETTERS + "-", 50),
    _within("url_key", "https://hooks.slack.com/services/T0123ABC/B0123AB/{}", LETTERS, 24),
    _token("stripe_key", "sk_live_", LETTERS, 24),
    _token("stripe_key", "rk_live_", LETTERS, 24),
    _token("openai_key", "sk-", LETTERS, 48),
    _token("openai_key", "sk-proj-", LETTERS, 64),
    _token("anthropic_key", "sk-ant-api03-", _URL, 95),
    _token("npm_token", "npm_", LETTERS, 36),
    _token("pypi_token", "pypi-AgEIcHlwaS5vcmc", _URL, 90),
    _token("twilio_key", "SK", _HEX, 32),
    _token("sendgrid_key", "SG.abcDEF123_-xyzABC987qw.", _URL, 43),
    _token("mailgun_key", "key-", _HEX, 32),
    _token("square_token", "sq0csp-", _URL, 43),
    _within("azure_storage_key", "AccountName=a;AccountKey={}==;Suffix=x", LETTERS + "+/", 86),
    _jwt,
    _pem("RSA PRIVATE KEY", 12),
    _pem("OPENSSH PRIVATE KEY", 6),
    _pem("PGP PRIVATE KEY BLOCK", 8),
    _within("bearer_token", "sent Bearer {} along", _URL, 40),
    _within("authorization", "Authorization: Bearer {}", LETTERS, 40),
    _within("authorization", "authorization: token {}", LETTERS, 24),
    _basic("Authorization: Basic {}", "authorization"),
    _basic('{"auths": {"registry.example": {"auth": "{}"}}}', "docker_auth"),
    _within("connection_string", "postgres://app:{}@db.example:5432/app", _SIGNS + "@/", 18),
    _within("connection_string", "mongodb+srv://app:{}@cluster0.example/db?w=1", LETTERS, 18),
    _within("connection_string", "redis://:{}@cache.example:6379/0", LETTERS, 18),
    _within("connection_string", "amqp://app:{}@mq.example:5672/%2f", LETTERS, 18),
    _within("connection_string", "mysql://root:{}@db.example/app", LETTERS + "!*", 18),
    _within("url_password", "https://app:{}@example.org/x.git", LETTERS, 18),
    _within("url_parameter", "https://example.org/a?page=2&token={}&x=1", LETTERS, 22),
    _within("url_parameter", "https://example.org/a?sv=2024&sig={}%3D", LETTERS, 40),
    _within("url_parameter", "https://example.org/a?key={}", LETTERS, 30),
    _discord,
    _token("telegram_token", "1234567890:AA", _URL, 33),
    _within("heroku_key", "HEROKU_API_KEY={}-0a1b-4c2d-8e3f-0123456789ab", _HEX, 8),
    _token("digitalocean_token", "dop_v1_", _HEX, 64),
    _token("shopify_token", "shpat_", _HEX, 32),
    _token("vault_token", "hvs.", _URL, 90),
    _token("age_key", "AGE-SECRET-KEY-1", _UPPER, 58),
    _token("huggingface_token", "hf_", LETTERS, 34),
    _within("session_cookie", "Cookie: theme=dark; sessionid={}; lang=en", LETTERS, 32),
    _within("session_cookie", "Set-Cookie: PHPSESSID={}; Path=/; HttpOnly", LETTERS, 26),
    _within("password", 'export DB_PASSWORD="{}"', _SIGNS, 14),
    _within("token", "DEPLOY_TOKEN={}", LETTERS, 24),
    _within("password", "password: {}", _SIGNS, 12),
    _within("password", "mysql-client --password {} --host db", LETTERS, 12),
    _within("password", "curl -u bob:{} https://example.org", LETTERS, 12),
    _within("password", "the password for the wifi is {}, I think", LETTERS, 12),
    _within("api_key", 'client = Client(api_key="{}")', LETTERS, 24),
    _within("password", "machine example.org login bob password {}", LETTERS, 12),
    _within("password", "CREATE USER bob IDENTIFIED BY '{}'", LETTERS, 12),
    _within("password_hash", "root:$6${}:19000:0:99999:7:::", LETTERS + "./$", 90),
    _encoded,
    _phrase("seed_phrase", "my seed phrase is: {}", 12),
    _phrase("seed_phrase", "Wallet recovery phrase:\n{}", 24),
    _phrase("passphrase", "the passphrase is {}.", 5),
    _within("password", 'psk="{}"', LETTERS, 14),
    _within("password", "WIFI:T:WPA;S:net;P:{};;", LETTERS, 14),
    _within("password", "HTTPBasicAuth('bob', '{}')", LETTERS, 14),
    _within("password", 'get(url, auth=("bob", "{}"))', LETTERS, 14),
    _within("password", "zip -P {} -r out.zip docs", LETTERS, 14),
    _within("password", "7z a -p{} out.7z docs", LETTERS, 14),
    _within("password", "ldapsearch -x -D cn=admin -w {} -b dc=x", LETTERS, 14),
    _within("password", "user,password,role\nbob,{},admin", LETTERS, 14),
    _within("password", "| user | password |\n|---|---|\n| bob | {} |", LETTERS, 14),
    _within("password", 'variable "db_password" {\n  default = "{}"\n}', LETTERS, 14),
    _within("session_cookie", "example.org\tTRUE\t/\tTRUE\t1893456000\tsid\t{}", LETTERS, 24),
    _code("Your verification code is {}"),
    _code("{} is your one-time code"),
    _code("Ihr Bestätigungscode lautet {}"),
    _code("votre code de vérification est {}"),
    _code("您的验证码是{}"),
    _within("password", "Mein Kennwort lautet {}", LETTERS, 14),
    _within("password", "la password è {}", LETTERS, 14),
    _within("password", "hasło: {}", LETTERS, 14),
    _within("password", "パスワードは{}です", LETTERS, 14),
    _within("password", "密码是 {}", LETTERS, 14),
    _token("figma_token", "figd_", _URL, 40),
    _within("asana_token", "2/1201234567890123/1201234567890124:{}", _HEX, 32),
    _within("dropbox_token", "sl.{}", _URL, 130),
    _uuid("sdk-"),
    _uuid("mob-"),
)  # fmt: skip


def _noise(draw: random.Random) -> str:
    return base64.b64encode(draw.randbytes(45)).decode()


def _around(sample: SecretSample, draw: random.Random) -> str:
    """Put noise before and behind a sample, touching it where it has a prefix of its own."""
    gap = "" if sample.has_prefix else "\n"
    return f"{_noise(draw)}{gap}{sample.text}{gap}{_noise(draw)}"


def _lines(sample: SecretSample, draw: random.Random) -> str:
    return f"line one\n  indented: yes\n{sample.text}\nlast line, {draw.randrange(100)} of them\n"


#: Where a sample can stand in an event: its name, and what makes the event's fields.
PLACES: dict[str, Callable[[SecretSample, random.Random], dict[str, Any]]] = {
    "argument": lambda s, d: {"payload": {"args": {"cmd": s.text}, "result": "done"}},
    "result": lambda s, d: {"payload": {"args": {}, "result": f"It said: {s.text}"}},
    "multi-line result": lambda s, d: {"payload": {"args": {}, "result": _lines(s, d)}},
    "key": lambda s, d: {"payload": {"args": {s.text: [1, True, None]}}},
    "list in a list": lambda s, d: {"payload": {"args": {"items": [["a", [s.text]], 2.5]}}},
    "nested JSON": lambda s, d: {
        "payload": {"args": json.dumps({"a": 1, "deep": {"note": s.text, "n": [1, 2.5]}})}
    },
    "JSON in JSON in JSON": lambda s, d: {
        "payload": {"args": json.dumps({"a": json.dumps({"b": json.dumps([s.text])})})}
    },
    "broken JSON": lambda s, d: {"payload": {"result": json.dumps({"b": s.text})[:-1] + ", ..."}},
    "URL": lambda s, d: {
        "payload": {"text": f"see https://example.org/go?page=1&next={quote(s.text, safe='')}"}
    },
    "noise": lambda s, d: {"payload": {"result": _around(s, d)}},
    "metadata": lambda s, d: {"payload": {"text": "hi"}, "metadata": {"trace": {"note": s.text}}},
    "tool": lambda s, d: {
        "payload": {"result": "ok"},
        "tool": {"name": "bash", "meta": {"env": [s.text]}},
    },
    "artifact": lambda s, d: {
        "payload": {"text": "hi"},
        "artifacts": [{"uri": "file:///a", "description": s.text}],
    },
    "unknown field": lambda s, d: {"payload": {"text": "hi"}, "x-more": {"y": {"z": s.text}}},
    "prose": lambda s, d: {"payload": {"text": f"Here you are:\n{s.text}\nThanks a lot!"}},
    "coloured": lambda s, d: {
        "payload": {"result": f"\x1b[1;32m>\x1b[0m {s.text[:9]}\x1b[31m{s.text[9:]}\x1b[0m"}
    },
}


def planted(number: int, seed: int = 0) -> Iterator[Planted]:
    """Yield `number` events with a secret each; kinds and places go round at different lengths."""
    draw = random.Random(seed)
    places = cycle(PLACES.items())
    for index, make in zip(range(number), cycle(MAKERS), strict=False):
        if index % len(MAKERS) == 0:
            next(places)
        place, write = next(places)
        sample = make(draw)
        event = {
            "id": f"p-{index}",
            "kind": "tool_result",
            "ts": "2026-03-01T10:00:05Z",
            "session": {"key": "s9"},
            "tool": {"name": "bash"},
            **write(sample, draw),
        }
        yield Planted(sample, place, event)
