"""Which formats do people already have?

One module a kind of source.
"""

from ...core.lazy import door

__all__ = [
    "agents",
    "conversation_reader",
    "format_detection",
    "import_options",
    "import_reader",
    "import_record",
    "import_report",
    "json_pieces",
    "message_content",
    "openai_messages",
    "timestamps",
]
__getattr__ = door(__name__)
