"""Which transcripts of agents are read?"""

from ....core.lazy import door

__getattr__ = door(__name__)
