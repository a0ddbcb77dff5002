"""Environment variables that look like settings and are unknown: most likely misspelt.

Reports the name and the closest known name. It changes nothing and refuses nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from ..core.settings_loader import CONFIG, DATABASE, SPACE, keys, variable

_PREFIX = "MERIDIA_"
#: Not settings of ours: what tests and the local Neo4j read, and what a cluster tells its
#: containers of a service that is called meridia.
_OTHERS = (
    "MERIDIA_TEST_",
    "MERIDIA_REQUIRE_",
    "MERIDIA_THOROUGH",
    "MERIDIA_NEO4J_JARS",
    "MERIDIA_SERVICE_",
    "MERIDIA_PORT",
)


def unknown_variables(environment: Mapping[str, str] | None = None) -> dict[str, str | None]:
    """Return the variables that set nothing, in order, each with the nearest one that does.

    None where no name is near.
    """
    names = os.environ if environment is None else environment
    ours = sorted(n for n in names if n.startswith(_PREFIX) and not n.startswith(_OTHERS))
    recognised = [DATABASE, SPACE, CONFIG, *map(variable, keys())]
    unknown = [name for name in ours if name not in recognised]
    return {name: _nearest(name, recognised) for name in unknown}


def _nearest(name: str, candidates: Sequence[str]) -> str | None:
    """Return the name nearest by what follows the prefix, which is the same for all."""
    import difflib  # noqa: PLC0415 - only for a mistyped name

    bare = [candidate.removeprefix(_PREFIX) for candidate in candidates]
    near = difflib.get_close_matches(name.removeprefix(_PREFIX), bare, 1)
    return _PREFIX + near[0] if near else None
