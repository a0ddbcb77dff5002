"""Keeps what a model's server sends within a size, counted after decompression.

A server that floods, or a few bytes that decompress to gigabytes, would otherwise take all memory
before anybody looks at the answer.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from typing import Any

import httpx2

#: The largest answer; the longest that a stage asks for is far below.
ANSWER_BYTES_MAX = 4 * 1024 * 1024
#: What is asked for: forms that can be decompressed piece by piece.
ENCODINGS = "gzip, deflate"
_EITHER_HEADER = 47  # for zlib: a header of gzip or of zlib


class AnswerTooLarge(httpx2.RequestError):
    """The server sent more than an answer may be, or in a form that cannot be measured."""


async def limit_size(response: httpx2.Response) -> None:
    """Have the body of a response end with `AnswerTooLarge` where it is too large."""
    coding = response.headers.pop("content-encoding", "identity").strip().lower()
    if coding not in {"identity", "", "gzip", "x-gzip", "deflate"}:
        raise AnswerTooLarge(f"the answer is encoded as {coding!r}, which was not asked for")
    response.headers.pop("content-length", None)
    response.stream = _Limited(response.stream, is_packed=coding not in {"identity", ""})


class _Limited(httpx2.AsyncByteStream):
    """A body, unpacked and no larger than allowed."""

    def __init__(self, sent: Any, *, is_packed: bool) -> None:
        self._sent = sent
        self._unpack = zlib.decompressobj(_EITHER_HEADER) if is_packed else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = ANSWER_BYTES_MAX
        async for packed in self._sent:
            piece = packed
            if self._unpack is not None:
                try:
                    piece = self._unpack.decompress(packed, left + 1)
                except zlib.error as error:
                    raise httpx2.DecodingError(f"the answer cannot be unpacked: {error}") from None
            left -= len(piece)
            if left < 0:
                raise AnswerTooLarge(f"the answer is larger than {ANSWER_BYTES_MAX:,} bytes")
            yield piece

    async def aclose(self) -> None:
        """Close the connection's stream."""
        await self._sent.aclose()
