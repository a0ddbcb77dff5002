"""Which memories may belong together, although no edge links them?

Daydreaming: pairs of memories, proposed when the system is idle, decided by a person.
"""

from ...core.lazy import door

__all__ = ["idea_service"]
__getattr__ = door(__name__)
