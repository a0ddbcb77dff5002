"""What the operations that write take."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from meridia.service.parameters import ForgetParameters, RememberBatchParameters


def test_forgetting_only_says_what_would_go_unless_it_is_asked_for_more():
    assert ForgetParameters(ids=["@1"]).dry_run


@pytest.mark.parametrize("messages", [[], [{"text": "a"}] * 1001])
def test_a_batch_has_some_messages(messages):
    with pytest.raises(ValidationError):
        RememberBatchParameters(messages=messages)
