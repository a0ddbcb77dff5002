"""How is a recall shown in a browser?"""

from ...core.lazy import door

__all__ = ["pages"]
__getattr__ = door(__name__)
