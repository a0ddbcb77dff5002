"""What should be loaded for a question?

Plans that name sources before anything is loaded.
"""

from ...core.lazy import door

__getattr__ = door(__name__)
