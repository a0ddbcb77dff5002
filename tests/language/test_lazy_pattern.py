from __future__ import annotations

import re

import pytest

from meridia.language.lazy_pattern import LazyPattern


def test_a_pattern_is_compiled_at_its_first_use() -> None:
    broken = LazyPattern("(")
    with pytest.raises(re.error):
        broken.search("x")


def test_it_finds_what_re_finds() -> None:
    lazy, eager = LazyPattern("b+", re.IGNORECASE), re.compile("b+", re.IGNORECASE)
    text = "abBcb"
    assert [m.span() for m in lazy.finditer(text)] == [m.span() for m in eager.finditer(text)]
    assert lazy.search(text).span() == eager.search(text).span() == (1, 3)
