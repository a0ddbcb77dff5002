"""What does an event name: entities, concepts, artifacts?

Names, addresses and duplicates.
"""

from ....core.lazy import door

__getattr__ = door(__name__)
