"""`meridia models` lists encoders, and gets one; the real one, where Maven can be asked."""

import shutil

import numpy as np
import pytest

from meridia.models.known_encoders import KNOWN


def test_encoders_are_listed_with_whether_they_are_here(meridia, tmp_path):
    rows = meridia("models", "--json", env={"XDG_DATA_HOME": str(tmp_path)}).json
    assert [(row["name"], row["here"]) for row in rows] == [
        ("minilm", True),
        *((name, False) for name in KNOWN),
    ]
    assert "bge-small-zh" in meridia("models").out


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ((), "name an encoder"),
        (("none",), "choose from"),
        (("bge-small-zh", "--from", "x"), "file"),
    ],
)
def test_a_wrong_wish_is_said(meridia, given, problem):
    done = meridia("models", "get", *given)
    assert done.status in {2, 3}
    assert problem in done.err


@pytest.mark.thorough
def test_the_real_encoder_is_fetched_and_tells_what_is_near_in_chinese(meridia, monkeypatch):
    if shutil.which("mvn") is None:
        pytest.skip("needs Maven")
    from meridia.models.encoders import encoder_of

    got = meridia("models", "get", "bge-small-zh")
    if got.status == 5:
        pytest.skip(got.err)
    assert got.status == 0, got.err
    monkeypatch.setenv("XDG_DATA_HOME", str(meridia.home))
    encoder = encoder_of("bge-small-zh")
    asked, near, far = encoder.embed(["谁会修船？", "奥斯卡修好了船的发动机。", "今天的面包很贵。"])
    assert encoder.dimension == 512
    assert float(np.dot(asked, near)) > float(np.dot(asked, far)) + 0.1
