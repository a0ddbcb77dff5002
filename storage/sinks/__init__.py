"""How far is each sink, and what does the one in PostgreSQL hold?"""

from ...core.lazy import door

__getattr__ = door(__name__)
