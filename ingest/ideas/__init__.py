"""Which memories may belong together, although no edge links them?

Daydreaming: pairs of memories, proposed when the system is idle, decided by a person.
"""

from ...core.lazy import door

__getattr__ = door(__name__)
