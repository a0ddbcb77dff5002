"""What leaves for other systems after the acknowledgement, and how is it kept up to date there?

A target is a sink: a projection outside of the file, with a cursor in it. Capture waits for none.
"""

from ...core.lazy import door

__all__ = ["delivery", "dispatcher", "graphiti_sink", "postgres_sink", "sink"]
__getattr__ = door(__name__)
