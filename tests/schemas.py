"""Whether a file conforms to a schema that check-jsonschema carries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def conforms(schema: str, file: Path) -> subprocess.CompletedProcess[str]:
    """Check a file against `vendor.<schema>`; the status is 0 where it conforms."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    return subprocess.run([*command, str(file)], capture_output=True, text=True, check=False)
