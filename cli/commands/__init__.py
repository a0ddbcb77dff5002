"""What does each command do?

One module a group of commands.
"""

from ...core.lazy import door

__all__ = ["recall"]
__getattr__ = door(__name__)
