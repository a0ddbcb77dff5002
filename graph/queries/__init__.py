"""How is a user's statement kept from doing harm?

Judged before it runs, confined to its space, and run by the embedded engine in another process.
"""

from ...core.lazy import door

__all__ = ["kglite_query", "neo4j_query", "query_guard", "query_process"]
__getattr__ = door(__name__)
