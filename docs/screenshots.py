"""Takes the pictures of docs/inspector.md again: `python -m docs.screenshots`. Needs Chromium.

The demo's conversation, a question, and the pages as they are.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from meridia.core.settings import ServiceSettings, Settings
from meridia.memory import Memory
from meridia.service.server import open_server
from tests.chromium import running_browser

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
QUESTION = "Did Oskar ever send the sail maker's address?"
SIZE = {"width": 1040, "height": 640}


def main() -> None:
    """Serve the demo; photograph a recall in light, its graph in dark, the explorer, a thread."""
    with served_demo() as (url, recall), running_browser() as browser:
        for name, scheme, part, (top, height) in (
            ("inspector-results", "light", "", (0, 600)),
            ("inspector-graph", "dark", "/graph", (225, 440)),
        ):
            page = browser.new_page(viewport=SIZE, color_scheme=scheme, reduced_motion="reduce")
            page.goto(f"{url}/inspect/#/recall/{recall}{part}")
            page.wait_for_selector(".graph" if part else ".results")
            if part:
                page.locator(".link.gives .hit").last.dispatch_event("click")
                page.wait_for_selector(".panel .what-if")
            page.evaluate("top => scrollTo({ top, behavior: 'instant' })", top)
            clip = {"x": 0, "y": 0, "width": SIZE["width"], "height": height}
            page.screenshot(path=IMAGES / f"{name}.png", clip=clip)
            page.close()
        for name, path, wait, top in (
            ("inspector-explore", "explore/name/Dana", ".panel h3", 215),
            ("inspector-thread", "session/2026-03-11", ".messages details", 1010),
        ):
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            page.goto(f"{url}/inspect/#/{path}")
            page.wait_for_selector(wait)
            page.evaluate("top => scrollTo({ top, behavior: 'instant' })", top)
            page.screenshot(path=IMAGES / f"{name}.png")


@contextmanager
def served_demo() -> Iterator[tuple[str, str]]:
    """Serve the demo's conversation; yield the address and the id of a recall."""
    settings = Settings(service=ServiceSettings(port=0))
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Path(folder) / "demo.db", "default", settings)
        memory.import_file(ROOT / "cli" / "data" / "demo.jsonl")
        recall = memory.recall(QUESTION).id
        server, listening = open_server(memory, needs_keys=False)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", recall
        server.should_exit = True
        thread.join()


if __name__ == "__main__":
    main()
