"""Which other memories can be brought along?"""

from ....core.lazy import door

__all__ = ["graphiti", "knowledge_graph", "letta", "mem0", "zep"]
__getattr__ = door(__name__)
