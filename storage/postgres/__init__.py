"""How do several replicas share one journal in PostgreSQL, each with a file of its own?"""

from ...core.lazy import door

__all__ = ["following", "shared_journal"]
__getattr__ = door(__name__)
