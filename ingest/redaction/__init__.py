"""What in an event is a secret or personal?

Rules in data files, and one engine for them.
"""

from ...core.lazy import door

__getattr__ = door(__name__)
