"""Which vector index proposes the candidates of a question, and what if it does not answer?

Every source is a `core.ports.VectorSource`. Whichever source proposes candidates, scores are
computed from the vectors recorded beside the journal.
"""

from ...core.lazy import door

__all__ = ["sources"]
__getattr__ = door(__name__)
