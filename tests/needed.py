"""What a test needs of a machine: without it the test is skipped, or fails where it is required."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(what: str, advice: str) -> NoReturn:
    """Skip the test that needs something; fail it where MERIDIA_REQUIRE_… of `what` is 1."""
    if os.environ.get(f"MERIDIA_REQUIRE_{what}") == "1":
        pytest.fail(advice, pytrace=False)
    pytest.skip(advice)
