"""Which commands serve a memory to agents and programs?"""

from ....core.lazy import door

__getattr__ = door(__name__)
