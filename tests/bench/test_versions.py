"""Versions compared: a checkout against itself takes about as long."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench import versions

ROOT = Path(versions.__file__).resolve().parents[1]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", versions.KINDS)
def test_a_checkout_is_compared_with_another(kind):
    found = versions.compared(ROOT, kind, rounds=3)
    assert found.measured_ms > 0
    assert 0.2 < found.ratio < 5


def test_what_is_no_checkout_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bench.versions", str(tmp_path)])
    with pytest.raises(SystemExit):
        versions.main()
    assert "no checkout" in capsys.readouterr().err
