"""Fit the projection that token vectors are kept in: models/data/minilm-tokens.npy.

    python -m bench.fit_tokens --data FILE… --out models/data/minilm-tokens.npy

The 128 principal directions (not centred) of the vectors of content words, over conversations in
any format that `meridia import` reads, or over plain texts, a paragraph at a time. The file that
ships was fitted on this project's own texts: docs/*.md *.md cli/data/demo.jsonl and, of bench/data,
association.jsonl and coding.jsonl.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np

from meridia.core.errors import InvalidInput
from meridia.core.events import text_of
from meridia.ingest.importers.import_reader import read
from meridia.language.analyser import Analyser, content_pieces
from meridia.models.embedder import MiniLmEmbedder
from meridia.models.tokens import DIMENSION

#: Texts of each file, spread evenly over it.
_TEXTS = 1500
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=[{|])")


def main() -> None:
    """Encode, add up, decompose, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    embedder, analyser = MiniLmEmbedder(), Analyser()
    moments = np.zeros((embedder.dimension, embedder.dimension))
    for file in arguments.data:
        texts = _texts(file)
        for text in texts[:: max(1, len(texts) // _TEXTS)]:
            encoded = embedder.encode(text[:1500])
            places = [place for place, _ in content_pieces(text, encoded.spans, analyser)]
            rows = encoded.pieces[places].astype(np.float64)
            moments += rows.T @ rows
    values, vectors = np.linalg.eigh(moments)
    best = vectors[:, np.argsort(-values)[:DIMENSION]]
    print(f"{values[np.argsort(-values)[:DIMENSION]].sum() / values.sum():.1%} of the variance")
    np.save(arguments.out, best.astype(np.float16))


def _texts(file: Path) -> list[str]:
    """Return the texts of a conversation's events, or the paragraphs of anything else."""
    try:
        with read(file) as records:
            texts = [text_of(r.event.as_json()) for r in records if r.event is not None]
    except InvalidInput:
        texts = []
    return texts or [
        paragraph
        for paragraph in re.split(r"\n\s*\n|\n(?=[{|])", file.read_text("utf-8"))
        if paragraph
    ]


if __name__ == "__main__":
    main()
