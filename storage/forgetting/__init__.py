"""What goes with a memory that is forgotten, and how is it erased in the file?

The journal keeps its headers, and with them its chain; a `Forgotten` entry says what was erased.
"""

from ...core.lazy import door

__all__ = ["erasure", "receipts"]
__getattr__ = door(__name__)
