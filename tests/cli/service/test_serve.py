"""`meridia serve` and `meridia mcp` as processes: how they begin, and what their end leaves."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
import time

import httpx
import pytest

from meridia.core.settings import EmbeddingSettings, Settings
from meridia.memory import Memory

QUICK = {"MERIDIA_EMBEDDING_ENABLED": "false"}


def serve(meridia, db, *options):
    """Start the service; return the process and its address."""
    log = db.with_suffix(".log")
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [meridia.script, "serve", "--db", str(db), "--port", "0", *options],
            stderr=errors,
            env=meridia.environment(QUICK),
        )
    deadline = time.monotonic() + 30
    while not (address := re.search(r"http://[\d.:]+", log.read_text("utf-8"))):
        assert process.poll() is None, log.read_text("utf-8")
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return process, address[0]


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL], ids=["term", "kill"])
def test_every_acknowledged_capture_is_in_the_journal_however_it_ends(meridia, db, end):
    process, url = serve(meridia, db, "--no-keys")
    acknowledged, refused = set(), []

    def write(worker):
        with httpx.Client(base_url=url, timeout=20) as client:
            for number in range(10_000):
                id = f"w{worker}-{number}"
                try:
                    answer = client.post("/v1/remember", json={"text": f"Note {id}.", "id": id})
                except httpx.TransportError:
                    return
                if answer.status_code != 200:
                    refused.append(answer.text)
                    return
                acknowledged.add(answer.json()["event_id"])

    writers = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    for writer in writers:
        writer.start()
    deadline = time.monotonic() + 20
    while len(acknowledged) < 100 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(end)
    status = process.wait(30)
    for writer in writers:
        writer.join(20)
    assert status == -end
    assert refused == []
    assert len(acknowledged) >= 100
    settings = Settings(embedding=EmbeddingSettings(enabled=False))
    with Memory.open(db, settings=settings) as memory:
        stored, after = set(), 0
        while after is not None:
            page = memory.list(after=after, limit=1000)
            stored |= {found.event_id for found in page.memories}
            after = page.next_after
        assert acknowledged <= stored
        assert memory.upkeep.verify() == []


@pytest.mark.thorough
def test_two_services_over_one_journal_do_no_work_twice(meridia, db):
    served = [serve(meridia, db, "--no-keys") for _ in range(2)]
    try:
        with httpx.Client(timeout=20) as client:
            for number in range(40):
                body = {"text": f"Jonas bought {number} red kettles.", "session": f"s{number % 4}"}
                answer = client.post(f"{served[number % 2][1]}/v1/remember", json=body)
                assert answer.status_code == 200, answer.text
            deadline = time.monotonic() + 60
            for _, url in served:
                while any(client.get(f"{url}/readyz").json()["lag"].values()):
                    assert time.monotonic() < deadline
                    time.sleep(0.1)
            kinds = client.get(f"{served[0][1]}/v1/status").json()["entries"]
    finally:
        for process, _ in served:
            process.terminate()
        assert [process.wait(30) for process, _ in served] == [-signal.SIGTERM] * 2
    assert kinds["ExperienceCaptured"] == kinds["ExperienceEnriched"] == 40
    with Memory.open(db, settings=Settings(embedding=EmbeddingSettings(enabled=False))) as memory:
        assert memory.upkeep.verify() == []


def test_it_does_not_begin_without_a_key(meridia, db):
    without = meridia("serve", "--db", db, "--port", "0")
    assert without.status == 2
    assert "meridia keys create" in without.err
