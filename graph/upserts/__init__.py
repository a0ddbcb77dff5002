"""What are nodes and edges made of, and what is somebody to the agent?"""

from ...core.lazy import door

__getattr__ = door(__name__)
