"""What does each mechanism add to a score?

A score is the sum of its contributions.
"""

from ...core.lazy import door

__getattr__ = door(__name__)
