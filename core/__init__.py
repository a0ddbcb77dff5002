"""What do all parts share?

Types, ids, time, errors, events, settings and text analysis.
"""

from .lazy import door

__all__ = [
    "codec",
    "entries",
    "errors",
    "events",
    "experience",
    "facts",
    "ids",
    "json_values",
    "lazy",
    "people",
    "ports",
    "results",
    "settings",
    "settings_loader",
    "text",
    "time",
    "types",
    "vocabulary",
]
__getattr__ = door(__name__)
