"""What does the question ask for?

Words, people, times and form of a question.
"""

from ...core.lazy import door

__getattr__ = door(__name__)
