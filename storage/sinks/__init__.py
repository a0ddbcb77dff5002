"""How far is each sink, and what does the one in PostgreSQL hold?"""

from ...core.lazy import door

__all__ = ["pgvector_table", "sink_state"]
__getattr__ = door(__name__)
