"""Recall beside a process that captures: every answer comes, and says what it may lack."""

from __future__ import annotations

import pytest

from bench.capture_load import recall_beside


@pytest.mark.thorough
def test_recall_answers_while_another_process_captures(tmp_path):
    times, _, lacking, captured = recall_beside(tmp_path, 77, 10, 1.0, embed=False)
    assert times
    assert captured
    assert lacking == 0
