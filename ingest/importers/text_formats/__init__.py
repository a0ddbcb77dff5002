"""Which formats are plain text, not JSON?"""

from ....core.lazy import door

__getattr__ = door(__name__)
