"""The run over replicas finds nothing wrong, and would find what is lost."""

import random

import pytest

from bench.replicas import Toll, differences, load, settings_of
from meridia import Memory
from tests.shared_postgres import new_journal


@pytest.mark.thorough
def test_nothing_is_lost_doubled_or_out_of_order_in_postgres(postgres_server, tmp_path):
    if not postgres_server.can_be_killed:
        pytest.skip("the server is not ours to kill")
    toll = load(postgres_server, tmp_path, 3, 1, seed=random.randrange(1000))
    assert toll.wrong == []
    assert toll.written
    assert toll.killed["server"] == 1


def test_what_is_out_of_order_in_postgres_is_told(postgres_server, tmp_path):
    url = new_journal(postgres_server.url)
    with Memory.open(tmp_path / "a.db", "home", settings_of(url), enrich="manual") as memory:
        for id in ("m-1", "m-2"):
            memory.remember(f"I moved to Bergen {id}.", id=id)
            memory.in_space("work").remember(f"I moved to Oslo {id}.", id=id)
    toll = Toll()
    toll.in_order["home"] = ["m-2", "m-1"]
    found = differences([tmp_path / "a.db"], url, toll)
    assert found == ["space home: what was acknowledged is out of order"]
