"""A stream in UTF-16, as Windows writes it, read as UTF-8."""

from __future__ import annotations

import codecs
import io
from typing import Any, BinaryIO

#: First bytes of a text in UTF-16, in either order.
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Utf16Reader(io.RawIOBase):
    """The bytes of a text in UTF-16, from its byte order mark on, as UTF-8.

    What is no UTF-16 becomes �. `begun` are bytes of the stream that were read already.
    """

    def __init__(self, begun: bytes, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-16")("replace")
        self._ready = self._decoder.decode(begun).encode("utf-8")
        self._is_over = False

    def readable(self) -> bool:
        """Say yes: that is all it is for."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; 0 at the end."""
        while not self._ready and not self._is_over:
            block = self._stream.read(len(buffer))
            self._is_over = not block
            self._ready = self._decoder.decode(block, final=not block).encode("utf-8")
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def close(self) -> None:
        """Close the stream too."""
        self._stream.close()
        super().close()
