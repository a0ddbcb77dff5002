from __future__ import annotations

import random
import string

from hypothesis import assume, given
from hypothesis import strategies as st

from meridia.core.ids import derived
from meridia.ingest.redaction.rules import words
from meridia.ingest.redaction.token_formats import (
    find_formats,
    find_tokens,
    long_words,
    token_rules,
)
from tests.planted_secrets import MAKERS

FORMATS = token_rules()
#: Made up; the kinds that `planted_secrets` does not make.
OTHERS = {
    "azure_client_secret": "aB18Q~" + "aB1~" * 9,
    "square_token": "EAAA" + "aB1c" * 15,
    "atlassian_token": "ATATT3" + "aB1-" * 20,
    "digitalocean_token": "dop_v1_" + "0a1b" * 16,
    "shopify_token": "shpat_" + "0a1b" * 8,
    "vault_token": "hvs." + "aB1c" * 8,
    "huggingface_token": "hf_" + "aB1c" * 9,
    "age_key": "AGE-SECRET-KEY-1" + "0A1B" * 14,
    "asana_token": "1/1234567890123456:" + "0a1b" * 8,
    "launchdarkly_key": "sdk-01234567-89ab-cdef-0123-456789abcdef",
    "discord_token": "M" + "aB1c" * 6 + ".aB1cD2." + "aB1c" * 8,
    "telegram_token": "1234567890:" + "aB1-" * 9,
    "mailgun_key": "0a1b" * 8 + "-0a1b2c3d-0a1b2c3d",
    "terraform_token": "aB1cD2eF3gH4iJ.atlasv1." + "aB1-" * 16,
    "airtable_token": "pataB1cD2eF3gH4iJ." + "0a1b" * 16,
    "vendor_key": "LTAI" + "aB1c" * 5,
    "token": "v2.local." + "aB1-" * 20,
    "wallet_key": "xprv" + "aB1c" * 26,
    "ssh_private_key": "b3BlbnNzaC1rZXktdjEA" + "aB1c" * 20,
    "private_key": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" + "aB1c" * 20,
    "password_hash": "$2b$12$" + "aB1." * 13,
    "mailchimp_key": "0a1b" * 8 + "-us12",
}


def _kinds(text: str) -> set[str]:
    return {span.kind for span in find_formats(text, long_words(text))}


def test_a_secret_of_this_kind_is_known_by_its_shape() -> None:
    for kind, secret in OTHERS.items():
        assert kind in _kinds(f"it is {secret} so")


def test_every_format_is_tried_by_a_sample() -> None:
    draw = random.Random(0)
    sampled = {make(draw).kind for make in MAKERS} | set(OTHERS)
    assert {format.kind for format in FORMATS} <= sampled


def test_what_only_begins_like_a_secret_is_none() -> None:
    beginnings = [anchor + " and so on" for format in FORMATS for anchor in format.anchors]
    assert [text for text in beginnings if _kinds(text)] == []


def test_words_that_begin_alike_are_no_secrets() -> None:
    for name in [
        "task-oriented-dialogue-systems-2024", "sighs_at_the_moon_for_hours_and_hours",
        "npm_config_registry_and_cache_directory", "fw_update_all_the_things_now_please_2",
        "secret_santa_list_of_this_year_and_last", "spatial_index_of_a_thousand_points_or_more",
        "sk-learn-contrib-0-24-and-its-friends", "hf_hub_download_from_the_main_revision",
        "SKILL_AND_ACCURACY_0123456789abcdef", "key-value-store-0123456789abcdef",
        "eyJustAWordThatBeginsLikeOne", "glad.to.see.this.module.path.in.python",
    ]:  # fmt: skip
        assert _kinds(name) == set()


def test_short_and_long_texts_are_searched_alike() -> None:
    for width in [10, 600]:
        noise = "some/longer/path/to_a_thing " * width
        assert _kinds(noise + OTHERS["vault_token"]) == {"vault_token"}


def test_a_key_block_is_found_whole_or_cut_off_at_either_end() -> None:
    lines = "\n".join("aB1c" * 16 for _ in range(4))
    begin, end = "-----BEGIN EC PRIVATE KEY-----", "-----END EC PRIVATE KEY-----"
    for key in (f"{begin}\n{lines}\nabc=\n{end}", f"{begin}\n{lines}\n", f"{lines}\nabc=\n{end}"):
        text = f"It is:\n{key}\nThat was it."
        spans = list(find_formats(text, long_words(text)))
        shown = "".join(
            letter
            for at, letter in enumerate(text)
            if not any(span.start <= at < span.end for span in spans)
        )
        assert "aB1c" not in shown
        assert shown.startswith("It is:")
        assert shown.endswith("That was it.")


def test_a_certificate_and_a_public_key_are_no_secrets() -> None:
    lines = "MIID" + "aB1c" * 15
    assert _kinds(f"-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----") == set()
    assert _kinds(f"-----BEGIN PUBLIC KEY-----\n{lines}\n-----END PUBLIC KEY-----") == set()


#: Prefixes as vendors choose them: a few letters and digits, with what the token is for.
PREFIXES = st.builds(
    lambda name, use, sign: sign.join((name, *use)) + sign,
    st.from_regex(r"[a-z]{1,4}[0-9]?[a-z]", fullmatch=True),
    st.sampled_from(((), ("live",), ("test",), ("v2",), ("prod", "sk"))),
    st.sampled_from("_-"),
)


def _random(seed: int, length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Return a body with a large and a small letter and digits, as chance nearly always does."""
    draw = random.Random(seed)
    return "a7" + "".join(draw.choices(alphabet, k=length - 4)) + "4X"


def _tokens(text: str, *, sure: bool = False) -> list[str]:
    spans = find_tokens(text, long_words(text), sure=sure)
    return [text[span.start : span.end] for span in spans]


@given(PREFIXES, st.integers(0, 9999), st.integers(24, 80))
def test_a_token_of_a_vendor_that_nobody_knows_is_found_whole(
    prefix: str, seed: int, length: int
) -> None:
    assume(words("formats", "thing_words").isdisjoint(prefix.replace("-", "_").split("_")))
    token = prefix + _random(seed, length)
    for text in (token, f"it is {token}, I think", f'{{"a": "{token}"}}', f"X={token}"):
        assert _tokens(text) == [token]


def test_the_number_of_a_thing_is_no_token() -> None:
    for seed, thing in enumerate(words("formats", "thing_words")):
        for number in (_random(seed, 24), "0a1b2c3d" * 4, "a1b2c3" * 4):
            assert _tokens(f"see {thing}_{number} or {thing}-{number}") == []


def test_the_ids_of_what_is_derived_from_a_journal_are_no_tokens() -> None:
    for kind in ("person", "session", "concept", "word", "artifact", "fact", "entity", "episode"):
        for name in map(str, range(50)):
            assert _tokens(f"see {derived(kind, 'home', name)}") == []


def test_a_digest_or_a_uuid_behind_a_long_word_is_no_token() -> None:
    uuid = "0a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f"
    for word in ("frontend", "nginx", "overlay2", "notebook", "qx"):
        assert _tokens(f"{word}-{uuid} {word}-{'0a1b2c3d' * 5}.js") == []
    assert _tokens(f"sk-lf-{uuid}") == [f"sk-lf-{uuid}"]


def test_what_identifies_something_is_a_token_only_if_it_says_so() -> None:
    unknown, named = "qzx_" + _random(1, 30), "qzx_sk_" + _random(1, 30)
    assert _tokens(f"{unknown} {named}", sure=True) == [named]


def test_names_in_code_paths_and_hosts_are_no_tokens() -> None:
    for name in [
        "get_user_password_hash_from_database_row_2", "toBeInTheDocument_afterRenderOf2Items",
        "my-app-git-feature-login-acme.vercel.app", "release_2026_01_02_hotfix_3_of_the_api",
        "qx-0285b53b2eEXAMPLExY.1a2b3c4.svcs.example.com", "lib_x/0a1b2c3d4e5f6a7b8c9d0e1f",
        "numpy-1.26.4-cp311-cp311-manylinux_2_17_x86_64", "qz_01CZkZaBF1tNoB5wlCeusgyx",
    ]:  # fmt: skip
        assert _tokens(name) == []
