"""Which public data sets of conversations and runs are read?"""

from ....core.lazy import door

__getattr__ = door(__name__)
