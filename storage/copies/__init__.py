"""How is a journal copied, read back, and put in the place of another?"""

from ...core.lazy import door

__all__ = ["archive", "backup", "comparison"]
__getattr__ = door(__name__)
