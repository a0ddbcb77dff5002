"""Builds a site of the documents: `make site`, with MkDocs and its Material theme.

Documents name each other as files of the repository, so the site has its folders: the documents
are copied as they are. A link that leads nowhere, or a document without a place, ends the build.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import tempfile
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config

ROOT = Path(__file__).resolve().parents[1]
#: What the site is made of, and what documents link to.
PARTS = (
    "*.md",
    "LICENSE",
    "docs/*.md",
    "docs/images/*",
    "docs/examples/*",
    "docker/*",
    "docker/helm/*.yaml",
    "clients/*/README.md",
)


def main() -> None:
    """Build into the folder that is named."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist" / "site", help="the folder")
    out = parser.parse_args().out
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    with tempfile.TemporaryDirectory() as folder:
        for path in (path for part in PARTS for path in ROOT.glob(part) if path.is_file()):
            target = Path(folder) / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        config = load_config(
            str(ROOT / "docs" / "mkdocs.yml"),
            docs_dir=folder,
            site_dir=str(out.resolve()),
            strict=True,
        )
        build(config)


if __name__ == "__main__":
    main()
