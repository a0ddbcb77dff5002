"""Which formats are plain text, not JSON?"""

from ....core.lazy import door

__all__ = ["aider", "csv_table", "dialogue", "document", "mail", "subtitles", "text_lines"]
__getattr__ = door(__name__)
