"""How is what was forgotten taken out of the adjacency and of a graph, and nothing else?"""

from ...core.lazy import door

__getattr__ = door(__name__)
