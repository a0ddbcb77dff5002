"""Who is who among the people of a space, as it is read?"""

from ...core.lazy import door

__getattr__ = door(__name__)
