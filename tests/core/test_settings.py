"""Settings: which layer wins, where each value came from, and what is said about a wrong one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from meridia.core.errors import InvalidInput
from meridia.core.settings import Settings
from meridia.core.settings_loader import (
    CONFIG,
    LoadedSettings,
    default_database,
    default_file,
    keys,
    load,
    section_of,
    variable,
)

#: For some keys, values that are allowed and differ from the default.
CHOICES: dict[str, list[Any]] = {
    "journal.synchronous": ["full", "normal"],
    "journal.busy_timeout_s": [0.5, 1.0, 2.0],
    "graph.batch": [1, 7, 1000],
    "embedding.enabled": [True, False],
    "analysis.language": ["french", "german"],
    "recall.limit": [1, 5, 1000],
    "recall.concept_share_max": [0.5, 1.0],
    "reference.starts": [1, 100],
    "reference.literal": [True],
    "ingest.skeleton_days": [0.0, 30.0],
    "gates.min_interval_ms": [0, 1000],
    "scoring.profile": ["minimal", "aggressive"],
    "transitions.valence": [0.1, 2.0],
    "model.dialect": ["openai", "anthropic"],
}


@pytest.fixture(autouse=True)
def no_file_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for key in keys():
        monkeypatch.delenv(variable(key), raising=False)
    monkeypatch.delenv(CONFIG, raising=False)


def value_of(loaded: LoadedSettings, key: str) -> Any:
    section, name = key.split(".")
    return getattr(section_of(loaded.settings, section), name)


def toml(values: dict[str, Any]) -> str:
    lines = []
    for section in dict.fromkeys(key.split(".")[0] for key in values):
        lines.append(f"[{section}]")
        for key, value in values.items():
            if key.startswith(f"{section}."):
                written = str(value).lower() if isinstance(value, bool) else repr(value)
                lines.append(f"{key.split('.')[1]} = {written}")
    return "\n".join(lines)


def layers() -> st.SearchStrategy[dict[str, Any]]:
    """Draw some keys, each with an allowed value."""
    return st.fixed_dictionaries(
        {}, optional={key: st.sampled_from(values) for key, values in CHOICES.items()}
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(in_file=layers(), in_environment=layers(), in_flags=layers())
def test_flags_win_over_the_environment_and_that_over_the_file(
    tmp_path, in_file, in_environment, in_flags
):
    path = tmp_path / "meridia.toml"
    path.write_text(toml(in_file), "utf-8")
    environment = {variable(key): str(value) for key, value in in_environment.items()}
    loaded = load(in_flags, path, environment)
    for key in keys():
        if key in in_flags:
            expected, origin = in_flags[key], "flag"
        elif key in in_environment:
            expected, origin = in_environment[key], f"environment {variable(key)}"
        elif key in in_file:
            expected, origin = in_file[key], f"file {path}"
        else:
            expected, origin = value_of(LoadedSettings(Settings(), {}), key), "default"
        assert (value_of(loaded, key), loaded.origins[key]) == (expected, origin)


def test_without_any_layer_every_value_is_the_default():
    loaded = load(environment={})
    assert loaded.settings == Settings()
    assert set(loaded.origins) == set(keys())
    assert set(loaded.origins.values()) == {"default"}


def test_the_environment_of_the_process_is_read_unless_one_is_given(monkeypatch):
    monkeypatch.setenv("MERIDIA_RECALL_LIMIT", "7")
    assert load().settings.recall.limit == 7
    assert load(environment={}).settings.recall.limit == 10


def test_a_flag_that_was_not_given_leaves_the_value_alone():
    loaded = load({"recall.limit": None}, environment={"MERIDIA_RECALL_LIMIT": "3"})
    assert (loaded.settings.recall.limit, loaded.origins["recall.limit"][:11]) == (3, "environment")


def test_the_file_may_be_named_by_the_environment_or_lie_where_it_is_looked_for(tmp_path):
    named = tmp_path / "named.toml"
    named.write_text("[recall]\nlimit = 3\n")
    assert load(environment={CONFIG: str(named)}).settings.recall.limit == 3
    default_file().parent.mkdir(parents=True)
    default_file().write_text("[recall]\nlimit = 4\n")
    found = load(environment={})
    assert found.settings.recall.limit == 4
    assert found.origins["recall.limit"] == f"file {default_file()}"
    assert load(file=named, environment={}).settings.recall.limit == 3


def test_every_key_has_a_variable_of_its_own_and_a_description():
    assert len({variable(key) for key in keys()}) == len(keys())
    assert variable("journal.event_bytes_max") == "MERIDIA_JOURNAL_EVENT_BYTES_MAX"
    assert variable("recall.debug") == "MERIDIA_ENABLE_RETRIEVAL_DEBUG"
    for key in keys():
        section, name = key.split(".")
        fields = type(section_of(Settings(), section)).model_fields
        assert fields[name].description


def test_where_things_lie_by_default_is_the_users_own_folder(tmp_path):
    assert default_database().is_relative_to(tmp_path)
    assert default_file().is_relative_to(tmp_path)


def test_a_list_is_one_text_in_the_environment_and_a_list_in_the_file(tmp_path):
    written = {"MERIDIA_SANITISE_NAMES_SENSITIVE": " badge, ,pin code ,"}
    assert load(environment=written).settings.sanitise.names_sensitive == ("badge", "pin code")
    path = tmp_path / "meridia.toml"
    path.write_text('[sanitise]\nnames_sensitive = ["badge", "pin, code"]\n')
    loaded = load(file=path, environment={})
    assert loaded.settings.sanitise.names_sensitive == ("badge", "pin, code")
    assert load(environment={"MERIDIA_SANITISE_PATHS": ""}).settings.sanitise.paths == ()


def test_no_model_is_asked_unless_one_is_named():
    assert Settings().model.dialect == "none"


def test_the_weights_of_a_decision_add_up_to_one():
    scoring = Settings().scoring
    weights = (scoring.novelty, scoring.impact, scoring.relational, scoring.temporal)
    assert sum(weights) + scoring.user_intent == pytest.approx(1)


# What is wrong


@pytest.mark.parametrize(
    ("environment", "flags", "told"),
    [
        ({"MERIDIA_RECALL_LIMIT": "0"}, {}, r"recall\.limit \(environment MERIDIA_RECALL_LIMIT\)"),
        ({"MERIDIA_RECALL_LIMIT": "many"}, {}, r"recall\.limit \(environment"),
        ({}, {"recall.limit": 1001}, r"recall\.limit \(flag\)"),
        ({}, {"recall.colour": 1}, r"recall\.colour"),
        ({}, {"recall.reference_starts": 1}, r"recall\.reference_starts"),
        ({"MERIDIA_REFERENCE_STARTS": "0"}, {}, r"reference\.starts \(environment MERIDIA_REF"),
        ({}, {"reference.colour": 1}, r"reference\.colour \(flag\)"),
        ({}, {"colour.recall": 1}, r"colour"),
        ({"MERIDIA_JOURNAL_SYNCHRONOUS": "off"}, {}, r"journal\.synchronous \(environment"),
        ({"MERIDIA_JOURNAL_BUSY_TIMEOUT_S": "nan"}, {}, r"journal\.busy_timeout_s"),
        ({}, {"embedding.chunk_words": 15}, r"embedding\.chunk_words"),
        ({}, {"ingest.skeleton_days": -1}, r"ingest\.skeleton_days"),
        ({}, {"ingest.skeleton_days": 3651}, r"ingest\.skeleton_days"),
        ({}, {"scoring.profile": "bold"}, r"scoring\.profile"),
        ({}, {"scoring.band": 1.1}, r"scoring\.band"),
        ({}, {"transitions.intensity": 0}, r"transitions\.intensity"),
        ({}, {"sanitise.text_chars_max": 63}, r"sanitise\.text_chars_max"),
        ({}, {"gates.tokens_per_day_max": -1}, r"gates\.tokens_per_day_max"),
        ({"MERIDIA_PLAN_MODEL": "maybe"}, {}, r"plan\.model \(environment MERIDIA_PLAN_MODEL\)"),
        ({}, {"plan.temperature": 2.1}, r"plan\.temperature \(flag\)"),
        ({}, {"plan.temperature": -0.1}, r"plan\.temperature \(flag\)"),
        ({"MERIDIA_MODEL_DIALECT": "gopher"}, {}, r"model\.dialect \(environment"),
    ],
)
def test_a_wrong_value_is_named_with_its_source(environment, flags, told):
    with pytest.raises(InvalidInput, match=told):
        load(flags, environment=environment)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[recall]\nlimit = 0\n", r"recall\.limit \(file .*meridia\.toml\)"),
        ("[recall]\ncolour = 1\n", r"recall\.colour \(file .*meridia\.toml\)"),
        ("[colour]\nrecall = 1\n", r"colour"),
        ("[recall.reference]\nstarts = 1\n", r"section of its own: write \[reference\]"),
        ("limit = 3\n", r"limit is outside any \[section\]"),
        ("[recall\n", r"meridia\.toml cannot be read"),
        ("[recall]\nlimit = 1\nlimit = 2\n", r"meridia\.toml cannot be read"),
        ("[recall]\n[recall.limit]\nx = 1\n", r"recall\.limit"),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong(tmp_path, content, told):
    path = tmp_path / "meridia.toml"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=told):
        load(file=path, environment={})


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "meridia.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="cannot be read"):
        load(file=path, environment={})
    with pytest.raises(InvalidInput, match="cannot be read"):
        load(file=tmp_path, environment={})


def test_a_named_file_must_exist_and_the_default_one_need_not(tmp_path):
    with pytest.raises(InvalidInput, match=r"missing\.toml does not exist"):
        load(file=tmp_path / "missing.toml", environment={})
    with pytest.raises(InvalidInput, match=r"missing\.toml does not exist"):
        load(environment={CONFIG: str(tmp_path / "missing.toml")})
    assert load(environment={CONFIG: ""}).settings == Settings()


@pytest.mark.parametrize("key", ["graph.neo4j_password", "model.api_key"])
def test_a_password_is_in_no_message_and_no_listing(key):
    loaded = load({key: "hunter2"}, environment={})
    assert value_of(loaded, key).get_secret_value() == "hunter2"
    assert "hunter2" not in f"{loaded} {loaded.settings!r} {loaded.settings.model_dump_json()}"
    with pytest.raises(InvalidInput) as refusal:
        load({key: ["hunter2"]}, environment={})
    assert "hunter2" not in str(refusal.value)


def test_settings_do_not_change_once_they_are_made():
    with pytest.raises(ValidationError):
        Settings().recall.limit = 5  # type: ignore[misc]
