"""What in an event is a secret or personal?

Rules in data files, and one engine for them.
"""

from ...core.lazy import door

__all__ = ["cuts", "sanitise", "scanner"]
__getattr__ = door(__name__)
