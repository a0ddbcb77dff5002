"""What can a person do with all this?

The command `meridia`.
"""

from ..core.lazy import door

__all__ = ["charts", "options", "parameters", "recall_view", "render"]
__getattr__ = door(__name__)
