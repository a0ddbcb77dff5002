"""What does a model find that reads a whole session?

The transcript it is shown, the evidence for its answer, and the entries made of it.
"""

from ....core.lazy import door

__getattr__ = door(__name__)
