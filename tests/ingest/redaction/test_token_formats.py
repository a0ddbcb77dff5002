from __future__ import annotations

import random

from meridia.ingest.redaction.rules import read_rules
from meridia.ingest.redaction.token_formats import find_formats, long_words
from tests.planted_secrets import MAKERS

FORMATS = read_rules("formats", "formats")
#: Made up; the kinds that `planted_secrets` does not make.
OTHERS = {
    "aws_bedrock_key": "ABSKQmVkcm9ja" + "aB1/" * 20,
    "azure_client_secret": "aB18Q~" + "aB1~" * 9,
    "square_token": "EAAA" + "aB1-" * 15,
    "discord_webhook": "https://discord.com/api/webhooks/123456/" + "aB1_" * 17,
    "docker_token": "dckr_pat_" + "aB1-" * 7,
    "model_provider_key": "gsk_" + "aB1c" * 13,
    "databricks_token": "dapi" + "0a1b" * 8,
    "linear_key": "lin_api_" + "aB1c" * 10,
    "notion_token": "ntn_" + "aB1c" * 12,
    "atlassian_token": "ATATT3" + "aB1-" * 20,
    "postman_key": "PMAK-" + "0a1b2c" * 4 + "-" + "0a" * 17,
    "new_relic_key": "NRAK-" + "AB1" * 9,
    "grafana_token": "glsa_" + "aB1c" * 8 + "_0a1b2c3d",
    "sentry_token": "sntrys_" + "aB1c" * 12,
    "pulumi_token": "pul-" + "0a1b" * 10,
    "terraform_token": "aB1cD2eF3gH4iJ.atlasv1." + "aB1-" * 16,
    "fly_token": "fm2_" + "aB1c" * 20,
    "netlify_token": "nfp_" + "aB1c" * 10,
    "rubygems_key": "rubygems_" + "0a1b" * 12,
    "nuget_key": "oy2" + "a1b" * 14 + "c",
    "doppler_token": "dp.pt." + "aB1c" * 10,
    "planetscale_token": "pscale_tkn_" + "aB1-" * 10,
    "supabase_key": "sbp_" + "0a1b" * 10,
    "airtable_token": "pataB1cD2eF3gH4iJ." + "0a1b" * 16,
    "facebook_token": "EAA" + "aB1c" * 25,
    "firebase_key": "AAAAabc1234:APA91b" + "aB1-" * 35,
    "artifactory_token": "AKCp" + "aB1c" * 17,
    "sonar_token": "sqp_" + "0a1b" * 10,
    "brevo_key": "xkeysib-" + "0a1b" * 16 + "-aB1cD2eF3gH4iJ5k",
    "tailscale_key": "tskey-auth-" + "aB1c" * 8,
    "onepassword_token": "ops_eyJ" + "aB1c" * 20,
    "alibaba_key": "LTAI" + "aB1c" * 5,
    "wallet_key": "xprv" + "aB1c" * 26,
    "elevenlabs_key": "sk_" + "0a1b" * 12,
    "ssh_private_key": "b3BlbnNzaC1rZXktdjEA" + "aB1c" * 20,
    "private_key": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" + "aB1c" * 20,
    "password_hash": "$2b$12$" + "aB1." * 13,
    "mailchimp_key": "0a1b" * 8 + "-us12",
    "heroku_key": "heroku token: 01234567-89ab-cdef-0123-456789abcdef",
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
    for words in [
        "task-oriented-dialogue-systems-2024", "sighs_at_the_moon_for_hours_and_hours",
        "npm_config_registry_and_cache_directory", "fw_update_all_the_things_now_please_2",
        "secret_santa_list_of_this_year_and_last", "spatial_index_of_a_thousand_points_or_more",
        "sk-learn-contrib-0-24-and-its-friends", "hf_hub_download_from_the_main_revision",
        "SKILL_AND_ACCURACY_0123456789abcdef", "key-value-store-0123456789abcdef",
        "eyJustAWordThatBeginsLikeOne", "glad.to.see.this.module.path.in.python",
    ]:  # fmt: skip
        assert _kinds(words) == set()


def test_short_and_long_texts_are_searched_alike() -> None:
    for width in [10, 600]:
        noise = "some/longer/path/to_a_thing " * width
        assert _kinds(noise + OTHERS["grafana_token"]) == {"grafana_token"}


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
