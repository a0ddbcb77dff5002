"""Which tests are worth a thorough run for what changed since a commit.

    python -m tests.thorough COMMIT

Prints folders and files of tests, separated by spaces; nothing where nothing is touched. Tests lie
in the folder of the code that they test; what lies elsewhere is listed in `ELSEWHERE`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: With MERIDIA_THOROUGH=1 tests marked `thorough` run too, and others look longer.
THOROUGH = bool(os.environ.get("MERIDIA_THOROUGH"))


def examples(quick: int) -> int:
    """Return with how many examples a costly property is tried: ten times more in thorough runs."""
    return 10 * quick if THOROUGH else quick


#: Tests of the whole → the beginnings of the paths whose change they notice.
ELSEWHERE = {
    "tests/acceptance": ("models/", "ingest/", "storage/", "retrieval/", "graph/", "traversal/"),
    "tests/bench/test_kill.py": ("storage/", "ingest/capture/", "ingest/enrichment/"),
    "tests/bench/test_fault_kinds.py": (
        *("storage/", "ingest/forgetting/", "ingest/enrichment/", "graph/"),
    ),
    "tests/bench/test_fault_servers.py": ("graph/neo4j_store.py", "ingest/enrichment/"),
    "tests/bench/test_many_spaces.py": ("storage/", "service/"),
    "tests/bench/test_projection.py": ("graph/",),
    "tests/bench/test_query_tricks.py": ("graph/queries/",),
    "tests/bench/test_truth.py": ("language/", "ingest/extraction/", "ingest/enrichment/"),
    "tests/bench/test_train_secrets.py": ("ingest/redaction/",),
    "tests/bench/test_redaction.py": ("ingest/redaction/",),
    "tests/bench/test_written.py": ("language/", "resume/"),
    "tests/bench/test_scale.py": ("memory.py", "storage/", "ingest/", "retrieval/", "resume/"),
    "tests/bench/test_train_ranker.py": ("retrieval/ranking/",),
    "tests/bench/test_ablation.py": ("retrieval/ranking/", "traversal/"),
    "tests/clients": ("clients/", "service/"),
    "tests/docs": (
        "README.md",
        "cli/",
        "memory.py",
        "memory_groups.py",
        "service/",
        "integrations/",
    ),
    "tests/bench/test_forget.py": ("storage/forgetting/", "ingest/forgetting/"),
    "tests/packaging": (
        *("pyproject.toml", "__init__.py", "memory.py"),
        *("service/", "models/", "graph/graphiti/"),
    ),
}


def tests_of(changed: Iterable[str]) -> list[str]:
    """Return the tests that belong to changed paths, none within another."""
    found = set()
    for path in changed:
        found |= {tests for tests, starts in ELSEWHERE.items() if path.startswith(starts)}
        folder = Path(path.removeprefix("tests/")).parent
        nearest = next(f for f in (folder, *folder.parents) if (ROOT / "tests" / f).is_dir())
        if nearest.as_posix() not in {".", "tidy"}:
            found.add(f"tests/{nearest.as_posix()}")
    return sorted(
        tests for tests in found if not any(str(above) in found for above in Path(tests).parents)
    )


def changed_since(commit: str) -> list[str]:
    """Return the paths that differ between a commit and HEAD, relative to the repository."""
    command = ["git", "diff", "--name-only", commit, "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


if __name__ == "__main__":
    print(*tests_of(changed_since(sys.argv[1])))
