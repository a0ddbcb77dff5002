"""Row 4 (what is stored) and row 5 (what leaves for a sink); D3: redact, then cut."""

from __future__ import annotations

import ast
import json
import random
import sysconfig
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import meridia
from meridia.core.settings import SanitiseSettings
from meridia.ingest.redaction.sanitise import (
    SINK_CHARS_MAX,
    Sanitised,
    clean_text,
    sanitise,
    sanitise_for_sink,
)
from meridia.ingest.redaction.scanner import MARK
from tests.planted_secrets import MAKERS, PLACES, SecretSample, planted
from tests.thorough import THOROUGH, examples

GITHUB = "ghp_" + "a1B2c3D4e5F6" * 3
_PIECES = (
    "password=", "token: ", '"secret": "', "'", '"', "\\", "\n", "[REDACTED:password]",
    "[REDACTED:",
    "… [cut 12 characters]", "://", "@", ":", "Bearer ", "Authorization: ", "&key=", "?token=",
    "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "eyJ", ".", "=", ";", ",", "{",
    "}", "[", "]", " ", "hunter2", "AKIA", " is ", "--password ", "Cookie: a=b", "%3D", "&quot;",
    "\\u0041", "\x1b[0m", "|\n  x\n", "<password>", "</", "curl -u ", "é", "密码: ", "\u200b",
    "API_KEY=", "1234", "bob@example.com", "+49 171 2345678", "/home/bob/", "4111111111111111",
    "${", "' + '", "cat .env",
)  # fmt: skip


def _event(payload: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "tool_result", "payload": payload, **more}


def _payload(result: Sanitised) -> Any:
    return result.fields["payload"]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _survivors(fields: dict[str, Any], secrets: Iterable[str], length: int = 8) -> list[str]:
    """Return pieces of `length` characters of secrets that can be read in the fields."""
    texts = "\n".join(
        (json.dumps(fields), json.dumps(fields, ensure_ascii=False), *_strings(fields))
    )
    return [
        secret[at : at + length]
        for secret in secrets
        for at in range(max(1, len(secret) - length + 1))
        if secret[at : at + length] in texts
    ]


def _marks(fields: dict[str, Any]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for text in _strings(fields):
        for kind in MARK.findall(text):
            counts[kind] = counts.get(kind, 0) + 1
    return counts


def test_the_planted_secrets_are_of_more_than_25_kinds_in_more_than_10_places() -> None:
    plants = list(planted(300))
    assert len({plant.sample.kind for plant in plants}) > 25
    assert len({plant.place for plant in plants}) == len(PLACES) > 10


def test_no_piece_of_a_secret_of_any_kind_survives_in_any_place() -> None:
    draw = random.Random(7)
    leaks = []
    for number, make in enumerate(MAKERS):
        # Each kind in some places, each place with some kinds.
        for place, write in list(PLACES.items())[number % 3 :: 1 if THOROUGH else 3]:
            sample = make(draw)
            result = sanitise(_event({"text": "-"}, id="e") | write(sample, draw))
            if _survivors(result.fields, sample.secrets) or _marks(result.fields) != result.counts:
                leaks.append((sample.kind, place))
    assert leaks == []


def _ordinary_texts() -> list[str]:
    """Return lines of code and sentences of the Python installation, and the demo's texts."""
    code, sentences = [], []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[1::4]:  # not learned from
        source = path.read_text("utf-8")
        code += [line for line in source.splitlines() if len(line.strip()) > 3]
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                words = " ".join((ast.get_docstring(node) or "").split())
                sentences += [text for text in words.split(". ") if len(text) > 20]
    demo = Path(meridia.__file__).parent / "cli" / "data" / "demo.jsonl"
    talk = [json.loads(line)["payload"].get("text", "") for line in demo.read_text().splitlines()]
    draw = random.Random(0)
    return [*talk, *draw.sample(code, 2900), *draw.sample(sentences, 2100)][:5000]


def test_ordinary_sentences_and_code_are_left_alone() -> None:
    texts = _ordinary_texts()[:: 1 if THOROUGH else 4]
    assert len(texts) >= 1250
    for clean, share_max in [(sanitise, 0.002), (sanitise_for_sink, 0.005)]:
        events = [_event({"text": text}) for text in texts]
        touched = [event for event in events if clean(event).fields != event]
        assert len(touched) <= share_max * len(texts), touched


def test_hashes_ids_and_long_words_are_no_secrets() -> None:
    for text in [
        "commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
        "550e8400-e29b-41d4-a716-446655440000",
        "sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'",
        '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfu=="',
        "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch",
        "AbstractSingletonProxyFactoryBeanTokenProviderFactory2",
        "call_9f86d081884c7d659a2feaa0c55 toolu_01A09q90qw90lq917835lq9",
        "https://example.org:8080/a/b@c?page=2&sort=key#top",
        "arn:aws:iam::123456789012:role/MyRoleNameForTheThing",
    ]:
        assert sanitise(_event({"result": text})).counts == {}


def test_options_codes_and_phrases_that_are_no_secrets_stay() -> None:
    for text in [
        "mkdir -p src/components && docker run -p 8080:80 nginx && grep -w heron x",
        "scp -P 2222 a b; unzip -p out.zip doc.xml; ldapsearch -x -W -s sub -b dc=x",
        "The error code is 404123 and your order code is 482913, zip code 48291",
        "The passphrase is what you need to remember before you start.",
        "The seed phrase is: something that you should never share with anyone at all, my friend.",
        "Das Passwort ist falsch. Le mot de passe est incorrect. La contraseña es obligatoria.",
        "auth=(user, password) and fetch(u, {credentials: 'include'})",
        'variable "region" {\n  default = "eu-west-1"\n}',
        "[sdk-1.2.3] mob-programming api-docs sl.example",
        "pwd=/home/bob/src and pwd: ~/src",
        'def made(self) -> ApiKey:\n    """Return the key that was made last."""\n',
        "TOTP is a standard; recovery was quick: 14 days; tests pass=44 fail=2",
    ]:
        assert sanitise(_event({"result": text})).counts == {}, text


def test_an_image_in_a_data_url_is_no_secret() -> None:
    image = "data:image/png;base64," + random.Random(3).randbytes(60_000).hex()
    assert sanitise(_event({"result": image})).counts == {}


def test_what_stands_under_a_sensitive_name_goes_whatever_it_is() -> None:
    for name, value in [
        ("password", "x"), ("dbPassword", "a b"), ("client-secret", "x"), ("API_KEY", "x"),
        ("access_token", 12345), ("Authorization", "x"), ("private_key", "x"), ("token", 1.5),
    ]:  # fmt: skip
        result = sanitise(_event({"args": {name: value, "n": 1}}))
        assert MARK.fullmatch(_payload(result)["args"][name])
        assert _payload(result)["args"]["n"] == 1
        assert sum(result.counts.values()) == 1


def test_types_order_and_harmless_values_stay() -> None:
    args = {
        "b": [1, 2.5, None, True, {"z": "text", "a": []}],
        "max_tokens": 4096,
        "password": None,
        "has_password": "yes",
        "token": "",
        "schema": {"properties": {"password": {"type": "string", "description": "A password"}}},
    }
    result = sanitise(_event({"args": args}))
    assert json.dumps(_payload(result)["args"]) == json.dumps(args)
    assert result.counts == {}


def test_the_input_is_not_changed() -> None:
    event = _event({"args": {"password": "x", "more": [GITHUB]}})
    before = json.dumps(event)
    sanitise(event)
    assert json.dumps(event) == before


def test_what_identifies_an_event_changes_only_for_secrets_of_a_known_shape() -> None:
    event = _event({"text": "hi"}, id="password=x1y2z3", session={"key": "token: abc123"})
    assert sanitise(event).fields == event


def test_two_events_whose_ids_are_tokens_remain_two_events() -> None:
    first, second = (
        sanitise(_event({"text": "hi"}, id=f"run {token}", session={"key": token})).fields
        for token in (GITHUB, "ghp_" + "Z9y8X7w6V5u4" * 3)
    )
    assert first["id"] != second["id"]
    assert first["session"]["key"] != second["session"]["key"]
    assert not _survivors(first, [GITHUB])


def test_the_content_of_a_file_that_must_not_be_kept_is_replaced() -> None:
    for args in [
        {"path": "/app/.env"},
        {"command": "cat ~/.aws/credentials | head"},
        {"cmd": ["tail", "server.key"]},
        {"code": "print(open('C:\\\\keys\\\\id_rsa').read())"},
    ]:
        result = sanitise(_event({"args": args, "result": "SOME=thing", "exit": 0}))
        assert _payload(result) == {"args": args, "result": "[REDACTED:file]", "exit": 0}
        assert result.counts == {"file": 1}


def test_what_a_tool_writes_into_such_a_file_is_replaced() -> None:
    args = json.dumps({"path": "deploy/.env", "content": "GREETING=hello"})
    result = sanitise(_event({"arguments": args, "output": {"ok": True, "log": ["written"]}}))
    assert json.loads(_payload(result)["arguments"]) == {
        "path": "deploy/.env",
        "content": "[REDACTED:file]",
    }
    assert _payload(result)["output"] == {"ok": True, "log": ["[REDACTED:file]"]}


def test_a_path_that_json_escapes_names_such_a_file_too() -> None:
    args = '{"path": "deploy/\\u002eenv"}'
    result = sanitise(_event({"arguments": args, "output": "GREETING=hello"}))
    assert _payload(result)["output"] == "[REDACTED:file]"


def test_a_question_about_such_a_file_keeps_its_answer() -> None:
    event = _event({"args": {"query": "what goes into a .env file?"}, "result": "Settings."})
    assert sanitise(event).fields == event


def test_the_paths_are_a_matter_of_policy() -> None:
    event = _event({"args": {"path": "notes/diary.txt"}, "result": "Dear diary"})
    assert sanitise(event, SanitiseSettings(paths=("diary.*",))).counts == {"file": 1}
    assert sanitise(event, SanitiseSettings(paths=("diary.*", "!*.txt"))).counts == {}


def test_names_are_a_matter_of_policy() -> None:
    event = _event({"args": {"badge": "x1", "token": "noun"}, "result": "badge=letmein7"})
    policy = SanitiseSettings(names_sensitive=("badge",), names_allowed=("token",))
    assert _payload(sanitise(event, policy)) == {
        "args": {"badge": "[REDACTED:secret]", "token": "noun"},
        "result": "badge=[REDACTED:secret]",
    }


def test_texts_are_whole_unless_the_policy_limits_them() -> None:
    event = _event({"text": "x" * 100_000})
    assert sanitise(event).fields == event
    cut = sanitise(event, SanitiseSettings(text_chars_max=100))
    assert len(_payload(cut)["text"]) <= 100
    assert "characters] …" in _payload(cut)["text"]
    assert cut.cut == 1


@given(st.integers(64, 400), st.integers(0, 60), st.sampled_from(range(len(MAKERS))))
@settings(max_examples=examples(25), deadline=None)
def test_no_cut_leaves_half_a_secret(most: int, lead: int, maker: int) -> None:
    sample: SecretSample = MAKERS[maker](random.Random(maker))
    event = _event({"text": f"{'word ' * lead}\n{sample.text}\n{'word ' * 60}"})
    result = sanitise(event, SanitiseSettings(text_chars_max=most))
    assert _survivors(result.fields, sample.secrets) == []
    assert len(_payload(result)["text"]) <= most


def test_a_sink_gets_no_personal_data() -> None:
    text = (
        "Write to bob@example.com or call +49 171 2345678; pay into DE89 3704 0044 0532 0130 00 "
        "or from 4111 1111 1111 1111. The notes lie in /home/bob/notes."
    )
    assert sanitise(_event({"text": text})).counts == {}
    result = sanitise_for_sink(_event({"text": text}))
    assert result.counts == {
        "email": 1, "phone": 1, "iban": 1, "card_number": 1, "home_directory": 1,
    }  # fmt: skip
    assert _payload(result)["text"].endswith("The notes lie in [REDACTED:home_directory]/notes.")


def test_a_sink_gets_no_secrets_either() -> None:
    for plant in planted(80, seed=1):
        result = sanitise_for_sink(plant.event, target="vector")
        assert _survivors(result.fields, plant.sample.secrets) == []


def test_a_sink_gets_3000_characters_of_arguments_and_5000_of_a_result() -> None:
    event = _event({"args": {"a": "x" * 2000, "b": "y" * 2000}, "result": ["z" * 9000]})
    result = sanitise_for_sink(event)
    args, answer = _payload(result)["args"], _payload(result)["result"]
    assert sum(map(len, args.values())) == 3000
    assert sum(map(len, answer)) == 5000
    assert result.cut == 2
    vector = _payload(sanitise_for_sink(event, target="vector"))
    assert sum(map(len, vector["result"])) == 4000


_texts = st.one_of(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40),
    st.lists(st.sampled_from(_PIECES), max_size=12).map("".join),
    st.builds(lambda n, seed: MAKERS[n](random.Random(seed)).text,
              st.integers(0, len(MAKERS) - 1), st.integers(0, 9)),
)  # fmt: skip
#: What no event holds, no text of one is cut with: NUL and numbers that JSON does not know.
_numbers = st.floats(allow_nan=False, allow_infinity=False)
_names = st.sampled_from(["token", "name", "value", "type", "credentials"])
_json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), _numbers, _texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(_names, _texts), inner, max_size=4),
        inner.map(json.dumps),
    ),
    max_leaves=12,
)  # fmt: skip
_policies = st.builds(SanitiseSettings, text_chars_max=st.sampled_from([None, 64, 90]))
_sink_limits = st.sampled_from([{}, {"arguments": 64}, {"results": 64}])


@given(
    st.fixed_dictionaries({"args": _json, "result": _json, "text": _texts}),
    _json,
    _texts,
    _policies,
    st.sampled_from([sanitise, sanitise_for_sink]),
    _sink_limits,
)
@settings(max_examples=examples(8), deadline=None)
def test_doing_it_twice_changes_nothing_more_and_any_json_will_do(
    payload: dict[str, Any],
    more: Any,
    key: str,
    policy: SanitiseSettings,
    clean: Any,
    limits: dict[str, int],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "meridia.ingest.redaction.sanitise.SINK_CHARS_MAX", {**SINK_CHARS_MAX, **limits}
        )
        once = clean(_event(payload, id=key, session={"key": key}, metadata=more), policy)
        twice = clean(once.fields, policy)
    assert json.dumps(twice.fields) == json.dumps(once.fields)
    assert twice.counts == {}


def test_depth_is_no_matter() -> None:
    for depth in [50, 5_000]:
        deep: Any = GITHUB
        for _ in range(depth):
            deep = [{"a": deep}]
        clean = _payload(sanitise(_event({"args": deep})))["args"]
        for _ in range(depth):
            clean = clean[0]["a"]
        assert clean == "[REDACTED:github_token]"


def test_deep_json_in_a_string_is_cleaned_as_text() -> None:
    text = "[" * 3000 + json.dumps({"password": "hunter2"}) + "]" * 3000
    assert not _survivors(sanitise(_event({"result": text})).fields, ["hunter2"], 7)


def test_no_text_takes_long() -> None:
    """What took time by the square of the length would take minutes; most take a tenth of this."""
    for piece in (
        "a", "\\", '"', "eyJ", "password=", "://", "a@", "-----BEGIN PRIVATE KEY-----", "&a=",
        "cookie: a=", "authorization: ", "-----END PRIVATE KEY-----", "ghp_", "<a>", " ", "sk-",
    ):  # fmt: skip
        started = time.process_time()
        sanitise_for_sink(_event({"result": piece * (20_000 // len(piece))}))
        assert time.process_time() - started < 0.5, piece


#: What people and programs write, and the secret in it.
WRITTEN = [
    ("mdp: Chouette-71 pour le serveur", "Chouette-71"),
    ("le code wifi c'est Chouette-71", "Chouette-71"),
    ("usuario invitado, clave Gaviota#30, entra", "Gaviota#30"),
    ("пароль от сервера на даче chaika1987, сеть DACHA", "chaika1987"),
    ("服务器 root 密码改成 Hai8848yan 了", "Hai8848yan"),
    ("voici le jeton pour la météo : 6ecbecd6edeb69f78ebc77d515ce6112", "6ecbecd6edeb"),
    ("If it asks: admin / Torte.Kuchen. Thanks", "Torte.Kuchen"),
    ("user nils, initial pass Willkommen-Nils-01", "Willkommen-Nils-01"),
    ("use owl_by_the_mill as the password for the album", "owl_by_the_mill"),
    ("I need the key.\nAnn: sure, 9rfU1HKa-iAuDtvcE-VBcgD5H6-O6OXga3M", "9rfU1HKa"),
    ("product key: 9QK2-MX7P-L0ZT-4WVB", "9QK2-MX7P"),
    ('"smtp_pass": "abcd efgh ijkl mnop"', "abcd efgh"),
    (
        "my seed is: army van defense carry jealous true garbage claim echo media make crunch",
        "army",
    ),
    ('expect "password:" { send "gravel_Pit9\\r" }', "gravel_Pit9"),
    ('if form.password.data == "letmein-harbor":', "letmein-harbor"),
    ('hmac.new(b"397d5de28ba1ce6fcaf10e862a287ed03203c5fa", body)', "397d5de2"),
    ("keytool -srcstorepass oldp4ss_ks -deststorepass N3wKs!2024", "N3wKs!2024"),
    ("MOT_DE_PASSE_DB=cerisier&Neige4", "cerisier"),
]
#: What looks like it, and says nothing.
UNWRITTEN = [
    "add this to authorized_keys: ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQCUfLODgKxSbFyn1Y5dQAZ9e",
    "SECRET_KEY=change-me-in-production",
    "пароль: ваш_пароль",
    'input[type="password"]::placeholder { opacity: .5 }',
    "$password = $_POST['password'] ?? '';",
    "root / usr / local",
    "He has the key to build7 and the shed",
    "hmac.new(key, body, sha256)",
]


@pytest.mark.parametrize(("text", "secret"), WRITTEN)
def test_what_was_written_as_a_secret_goes(text: str, secret: str) -> None:
    assert secret not in clean_text(text)


def test_what_only_looks_like_one_stays() -> None:
    assert [text for text in UNWRITTEN if clean_text(text) != text] == []
