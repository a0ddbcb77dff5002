"""The protocols of a sentence encoder, so that another can be used."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .tokens import Encoded


class Embedder(Protocol):
    """Turns texts into unit vectors. `model` names the weights by name, dimension and hash."""

    model: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, shape (len(texts), dimension)."""
        ...


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also says what each word piece means where it stands.

    It is called from several threads at once. Of a text it encodes the first `pieces_max` pieces.
    """

    pieces_max: int

    def encode(self, text: str) -> Encoded:
        """Return a text's unit vector together with one for every word piece."""
        ...

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the same of several texts, which takes less time than one by one."""
        ...

    def piece_starts(self, text: str) -> Sequence[int]:
        """Return where each word piece of a whole text begins, in characters, ascending."""
        ...


@runtime_checkable
class SelectiveEmbedder(Protocol):
    """An embedder that says which texts it can read; others are taken to read every text."""

    def competence(self, text: str, without: Collection[str] = ()) -> float:
        """Return how far it can read a text, 0 to 1; `without` are words that do not count."""
        ...
