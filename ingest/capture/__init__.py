"""What happens to an event before it is acknowledged?

Stages, decision and commit; no model is asked.
"""

from ...core.lazy import door

__all__ = ["capture_context", "commit", "event_view", "scoring", "service", "trigger"]
__getattr__ = door(__name__)
