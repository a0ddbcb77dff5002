"""What can a person do with all this?

The command `meridia`.
"""

from ..core.lazy import door

__getattr__ = door(__name__)
