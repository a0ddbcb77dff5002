"""Two services over one journal in PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from meridia.core.settings import JournalSettings, Settings
from tests.service.conftest import SETTINGS, Service, run_service, say


@contextmanager
def running(path: Path, settings: Settings) -> Iterator[Service]:
    """Run a service, and end it whatever happens."""
    runs = run_service(path, settings)
    try:
        yield next(runs)
    finally:
        next(runs, None)


def is_soon(asked: Callable[[], bool]) -> bool:
    """Return whether something is so within half a minute."""
    for _ in range(300):
        if asked():
            return True
        time.sleep(0.1)
    return False


def test_any_service_answers_and_says_when_postgres_is_gone(shared_url, tmp_path, postgres_server):
    journal = JournalSettings(url=shared_url, busy_timeout_s=2)
    settings = SETTINGS.model_copy(update={"journal": journal})
    if not postgres_server.can_be_killed:
        pytest.skip("the server of the environment is not ours to kill")
    with (
        running(tmp_path / "1.db", settings) as one,
        running(tmp_path / "2.db", settings) as two,
        one.client("home") as here,
        two.client("home") as there,
    ):
        say(here, "Dana keeps bees in Bergen", id="m-1")
        listed = there.post("/v1/list", json={}).json()["memories"]
        assert [memory["text"] for memory in listed] == ["Dana keeps bees in Bergen"]
        assert there.get("/readyz").status_code == 200
        postgres_server.kill()
        try:
            refused = there.post("/v1/remember", json={"text": "Dana sold the bees"})
            assert there.get("/readyz").status_code == 503
            assert there.get("/healthz").status_code == 200
        finally:
            postgres_server.start()
        assert refused.status_code == 503, refused.text
        assert is_soon(lambda: there.get("/readyz").status_code == 200)
        say(there, "Dana sold the bees", id="m-2")
        assert len(here.post("/v1/list", json={}).json()["memories"]) == 2
