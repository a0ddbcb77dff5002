"""Where is everything kept, and how does it stay whole?

The journal and every projection in its file.
"""

from ..core.lazy import door

__getattr__ = door(__name__)
