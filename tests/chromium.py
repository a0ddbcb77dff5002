"""A real browser without a window, for tests: Debian's chromium, driven by Playwright.

Where there is none, tests are skipped; with MERIDIA_REQUIRE_BROWSER=1 they fail instead.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.needed import missing

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: It asks nobody but whom the page asks.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ADVICE = "a browser is needed: install Chromium (Debian: apt-get install chromium)"


def path_of_browser() -> str:
    """Return where the browser is; skip the tests, or fail them, where there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        missing("BROWSER", ADVICE)
    return found


@contextmanager
def running_browser(*flags: str) -> Iterator[Any]:
    """Run a browser with an empty profile, and `flags` more; what it yields makes contexts."""
    path = path_of_browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *flags])
        yield browser
        browser.close()
