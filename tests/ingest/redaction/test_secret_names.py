from __future__ import annotations

from meridia.ingest.redaction.rules import SecretNames, Sensitivity

NAMES = SecretNames()


def test_these_names_hold_secrets() -> None:
    for name, kind in [
        ("password", "password"), ("dbPassword", "password"), ("PGPASSWORD", "password"),
        ("user.password", "password"), ("old-passwd", "password"), ("smtp_pass", "password"),
        ("passwordHash", "password"), ("password2", "password"), ("passphrase", "password"),
        ("secret", "secret"), ("clientSecret", "secret"), ("SECRET_VALUE", "secret"),
        ("secret_id", "secret"), ("token", "token"), ("access_tokens", "token"),
        ("x-auth-token", "token"), ("authToken", "token"), ("API-KEY", "api_key"),
        ("apikey", "api_key"), ("X-Api-Key", "api_key"), ("APIKey", "api_key"),
        ("private_key", "private_key"), ("sshKey", "private_key"), ("AWSSecretKey", "secret_key"),
        ("SECRET_KEY_BASE", "secret_key"), ("aws_secret_access_key", "secret_key"),
        ("credentials", "credential"), ("Authorization", "authorization"),
        ("Set-Cookie", "cookie"), ("cvv", "card_code"), ("contraseña", "password"),
        ("密码", "password"), ("kennwort", "password"),
    ]:  # fmt: skip
        assert NAMES.of(name) == Sensitivity(kind)


def test_these_names_hold_none() -> None:
    for name in [
        "token_count", "max_tokens", "next_page_token", "eos_token", "tokenizer", "token_type",
        "completion_tokens", "password_policy", "has_password", "forgot_password", "keyboard",
        "key", "primary_key", "public_key", "sort_key", "session_key", "sessionKey", "author",
        "secretary", "secret_name", "compass", "passed", "bypass", "path", "monkey", "OLDPWD",
        "", "_", "é",
    ]:  # fmt: skip
        assert NAMES.of(name) is None


def test_these_names_hold_one_if_the_value_looks_like_it() -> None:
    for name in ["auth", "pw", "pass", "STRIPE_KEY", "GITHUB_PAT", "pin"]:
        sensitivity = NAMES.of(name)
        assert sensitivity is not None
        assert not sensitivity.sure


def test_a_policy_adds_names_and_excuses_others_in_any_spelling() -> None:
    names = SecretNames(sensitive=["badge number"], allowed=["api_token"])
    assert names.of("badgeNumber") == Sensitivity("secret")
    assert names.of("API-Token") is None
    assert NAMES.of("badgeNumber") is None


def test_a_name_as_long_as_a_text_is_none() -> None:
    assert NAMES.of("password" * 20) is None


def test_a_text_names_nothing_where_it_has_no_stem_of_a_name() -> None:
    names = SecretNames(("shoe_size",))
    assert names.stems_in("my api_key and shoe_size are here") == ["key", "shoe"]
    assert names.stems_in("the boat is red") == []


def test_a_plain_word_says_nothing_of_its_value_unless_it_names_a_secret() -> None:
    names = SecretNames(("colour",))
    assert names.is_neutral("payload")
    assert not names.is_neutral("token")
    assert not names.is_neutral("colour")
    assert not names.is_neutral("ghp_" + "a1B2" * 9)
