"""A running service over a journal on disk, and callers with keys."""

from __future__ import annotations

import faulthandler
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fakes import FakeEmbedder

from meridia.core.settings import ServiceSettings, Settings
from meridia.memory import Memory
from meridia.service.dispatcher import Dispatcher
from meridia.service.server import open_server
from meridia.storage.api_keys import Access

SETTINGS = Settings(
    service=ServiceSettings(port=0, poll_s=0.05, transfer_s=1, body_bytes_max=100_000)
)


@dataclass(frozen=True)
class Service:
    """A service that runs in a thread of this process."""

    url: str
    memory: Memory

    def key(self, *spaces: str, access: Access = Access.WRITE) -> str:
        """Make a key for some spaces."""
        return self.memory.parts.api_keys.create(access, spaces)[1]

    def client(self, *spaces: str, access: Access = Access.WRITE) -> httpx.Client:
        """Return a client with a key for some spaces."""
        headers = {"Authorization": f"Bearer {self.key(*spaces, access=access)}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30)


def run_service(path: Path, settings: Settings, *, needs_keys: bool = True) -> Iterator[Service]:
    """Run a service while the caller uses it."""
    memory = Memory(path, "default", settings, embedder=FakeEmbedder())
    server, listening = open_server(memory, needs_keys=needs_keys)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    yield Service(f"http://127.0.0.1:{listening.getsockname()[1]}", memory)
    server.should_exit = True
    thread.join(60)
    if thread.is_alive():
        faulthandler.dump_traceback(sys.__stderr__)
        pytest.fail("the service did not end within 60 s; standard error says where it waits")


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Give a service that asks for keys."""
    yield from run_service(tmp_path_factory.mktemp("service") / "service.db", SETTINGS)


@pytest.fixture(scope="session")
def open_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Give a service that asks for no key, and that allows few requests."""
    limits = SETTINGS.service.model_copy(update={"requests_per_minute": 40, "timeout_s": 5})
    settings = SETTINGS.model_copy(update={"service": limits})
    path = tmp_path_factory.mktemp("open") / "open.db"
    yield from run_service(path, settings, needs_keys=False)


@pytest.fixture
def admin(service: Service, request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    """Give a client that may do everything in a space of the test's own."""
    with service.client(request.node.name, access=Access.ADMIN) as client:
        yield client


@pytest.fixture
def dispatcher() -> Iterator[Dispatcher]:
    """Give a dispatcher over a journal that disappears with the test."""
    with Memory(None, "default", SETTINGS, embedder=FakeEmbedder()) as memory:
        opened = Dispatcher(memory, SETTINGS.service, needs_keys=True)
        yield opened
        opened.close()


def say(client: httpx.Client, text: str, **fields: Any) -> Any:
    """Remember a message through a client."""
    answer = client.post("/v1/remember", json={"text": text, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()
