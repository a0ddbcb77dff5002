"""Opening a model: what is set up wrong is said, and what is not installed is not needed."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from pydantic import SecretStr

from meridia.core.errors import InvalidInput
from meridia.core.settings import ModelSettings
from meridia.models.model_client import ModelClient
from meridia.models.model_factory import open_model

HERE = "http://127.0.0.1:9/v1"


def address(name="m-1", base_url=HERE, key="") -> ModelSettings:
    return ModelSettings(dialect="openai", name=name, base_url=base_url, api_key=SecretStr(key))


def run(program: str) -> str:
    """Run a program in a Python of its own, which has loaded nothing yet; return what it says."""
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )
    return ran.stdout


def test_opening_asks_nothing():
    client = open_model(address())
    assert isinstance(client, ModelClient)
    client.close()


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (address(name=" "), "model.name is empty"),
        (address(base_url="127.0.0.1:8080"), "model.base_url is not a valid address"),
        (address(base_url="file:///etc/passwd"), "model.base_url is not a valid address"),
        (address(base_url="http://dana:pass-word@127.0.0.1/v1"), "move it to model.api_key"),
        (address(key="secret\nkey-of-mine"), "model.api_key contains characters"),
        (address(key="clé-secret"), "model.api_key contains characters"),
    ],
)
def test_what_cannot_be_right_is_refused_by_the_name_of_the_setting(wrong, problem):
    with pytest.raises(InvalidInput, match=problem) as raised:
        open_model(wrong)
    assert not any(word in str(raised.value) for word in ("secret", "pass-word"))


def test_blanks_around_a_key_are_not_part_of_it():
    open_model(address(key=" key-of-mine\n")).close()


@pytest.mark.parametrize("missing", ["pydantic_ai", "openai"])
@pytest.mark.thorough
def test_without_the_extra_the_message_says_how_to_get_it(missing):
    program = f"""
        import sys
        sys.modules["{missing}"] = None  # what an import finds where nothing is installed
        from meridia.core.errors import Unavailable
        from meridia.core.settings import ModelSettings
        from meridia.models.model_factory import open_model
        try:
            open_model(ModelSettings(dialect="openai", name="m", base_url="{HERE}"))
        except Unavailable as error:
            print(error)
    """
    said = run(program)
    assert f"{missing} is not installed" in said
    assert "pip install 'meridia[llm]'" in said


def test_nothing_of_the_extra_is_loaded_before_a_model_is_opened():
    program = """
        import sys
        from meridia import Memory
        from meridia.models import answer_types, model_factory, model_types
        model_types.load("phenomenology")
        print(*{"pydantic_ai", "openai", "anthropic", "httpx2"} & {*sys.modules})
    """
    assert run(program).strip() == ""


@pytest.mark.parametrize(
    ("dialect", "other"),
    [
        ("openai", "anthropic"),
        pytest.param("anthropic", "openai", marks=pytest.mark.thorough),
    ],
)
def test_only_the_protocol_that_is_set_up_is_loaded(dialect, other):
    program = f"""
        import sys
        from meridia.core.settings import ModelSettings
        from meridia.models.model_factory import open_model
        open_model(ModelSettings(dialect="{dialect}", name="m", base_url="{HERE}")).close()
        print("{other}" in sys.modules, "pydantic_ai" in sys.modules)
    """
    assert run(program).split() == ["False", "True"]
