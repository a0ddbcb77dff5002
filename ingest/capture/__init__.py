"""What happens to an event before it is acknowledged?

Stages, decision and commit; no model is asked.
"""

from ...core.lazy import door

__all__ = [
    "commit",
    "event_view",
    "scoring",
    "service",
    "stages",
]
__getattr__ = door(__name__)
