"""Which other memories can be brought along?"""

from ....core.lazy import door

__getattr__ = door(__name__)
