"""The recall record, with the inputs of a recall, small enough to be stored; and its debug log.

The record has what cannot be computed later: the full-text statistics, people and settings of that
time. The graph, vectors, texts, traces and the question's vectors are left out, because they can be
computed again. The debug log has numbers and ids, but no text of a memory, no word of the question
and no name: more people read a log than a memory.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode, b85decode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidInput
from ..core.people import Gazetteer, Person
from ..core.settings import RecallSettings
from ..core.text import check_text
from ..core.time import from_text, to_text
from ..core.types import Filters, Json, Payload
from .candidates.pool import Pool, StandIns, VectorCandidates
from .ranking import ranking_weights
from .ranking.late_interaction import QuestionTexts
from .ranking.ranking_weights import RankingWeights
from .recall_result import Hit, Recall

#: Memories listed one by one.
TOP_HITS_MAX = 12
#: What search itself finds; everything else is added to it.
_BASE = ("meaning", "words")
#: What a rerank adds: by facets and by profile (feature 120).
_RERANK_TERMS = {"facet_boost": "facets", "profile_boost": "profile"}


def debug_record(recall: Recall, candidates: int, terms: int) -> dict[str, Any]:
    """Return the record of one answer as plain JSON values.

    `candidates` were scored; `terms` is how many words of the question were looked for.
    """
    return {
        "event": "recall",
        "recall": recall.id,
        "profile": recall.profile,
        "seq": recall.seq,
        "question_chars": len(recall.question),
        "question_terms": terms,
        "candidates": candidates,
        "hits": len(recall.hits),
        "notes": len(recall.notes),
        "timings_ms": {stage: round(value, 3) for stage, value in recall.timings_ms.items()},
        "top": [_hit_record(hit) for hit in recall.hits[:TOP_HITS_MAX]],
    }


def _hit_record(hit: Hit) -> dict[str, Any]:
    """Return one memory's base score, and what every other mechanism adds to it."""
    terms = {branch.label: branch.value for branch in hit.trace.children}
    base = sum(value for term, value in terms.items() if term in _BASE)
    added = {name: terms.get(term, 0.0) for name, term in _RERANK_TERMS.items()}
    return {
        "rank": hit.rank,
        "id": hit.id,
        "score": hit.score,
        "score_before_boosts": hit.base,
        **added,
        "base": base,
        "additions": {term: value for term, value in terms.items() if term not in _BASE},
        "terms": terms,
    }


#: Settings that say how an answer is waited for and kept, and nothing about the answer itself.
_EXCLUDED_SETTINGS = frozenset({"keep", "keep_max", "keep_days", "wait_s", "limit", "debug"})

#: So many numbers can start what is drawn.
_SEEDS = 2**63

#: What most records have in common, which is packed against it. It never changes: without it, what
#: was packed cannot be read.
_COMMON = (
    b'{"limit":10,"filters":{},"as_of":null,"known_at":null,"asked_at":"2026-11-23T06:53:22",'
    b'"hints":null,"snapshot":{"seq":1890,"experiences":702,'
    b'"model":"all-MiniLM-L6-v2-int8:384:8199be6f699a","dimension":384,"until":1890,'
    b'"vectors":702},"settings":{"profile":"default","candidates":200,"rerank_depth":100,'
    b'"ranker":"","spread":true,"policy":"spread","hops":2,"edges":["ABOUT"],"walks":1000,'
    b'"tracerank":false,"traverse":"arrays","confidence_min":0.5,"feedback":true,'
    b'"feedback_max":1.0,"significance":0.0,"recency":0.0,"recency_days":30.0,"memrank":0.0,'
    b'"diversity":0.0,"concept_share_max":0.05,"rerank":false,"rerank_candidates":60,'
    b'"archetypes":["loyalist","prestige","analyst","achiever","legacy"],"reference":'
    b'{"anticipated":true,"walk":true,"literal":false,"starts":3,"nodes":5,"exploration":2.0,'
    b'"metadata":0.6}},"people":[],"texts":["What does I ",[]],"weights":null,"matches":["AAAA",'
    b'"AAAA"],"scores":"P8/'
    b'"}'
)


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A question with its limits.

    `as_of` is a time (what had happened) or a journal sequence (what was recorded); `known_at`, a
    sequence, is used together with a time. `seed` is the seed of random draws: the given
    `random_seed`, or one derived from the answer's id. `asked_at` is the time of asking, from which
    relative times are counted; `hints` are plain JSON (see `facets.hints_of`).
    `current_session` is the asking session, by the caller's key; `finds` are the results of
    Graphiti's search: journal sequences and scores.
    """

    question: str
    limit: int
    filters: Filters
    as_of: datetime | int | None = None
    known_at: int | None = None
    random_seed: int | None = None
    seed: int = 0
    asked_at: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    hints: Json = None
    current_session: str | None = None
    finds: Sequence[tuple[int, float]] = ()

    def __post_init__(self) -> None:
        check_text("question", self.question)
        if self.random_seed is not None and not 0 <= self.random_seed < _SEEDS:
            raise InvalidInput(
                f"random seed {self.random_seed} is out of range: give 0 to {_SEEDS - 1:,}"
            )

    @property
    def now(self) -> datetime:
        """The time from which "yesterday" is counted: when it is asked, or the time of `as_of`."""
        return self.moment or self.asked_at

    @property
    def moment(self) -> datetime | None:
        """The time by which it must have happened."""
        return self.as_of if isinstance(self.as_of, datetime) else None

    @property
    def last_seq(self) -> int | None:
        """The journal sequence by which it must have been known."""
        bounds = [b for b in (self.as_of, self.known_at) if isinstance(b, int)]
        return min(bounds, default=None)


@dataclass(frozen=True, slots=True)
class SnapshotRef:
    """The extent of a space that a question saw: the journal to `seq`, and vectors to `until`.

    `experiences` and `vectors` count them; `model` is None if vectors were not used. `read` is the
    sequence up to which the rules had read; None: all.
    """

    seq: int
    experiences: int
    model: str | None = None
    dimension: int = 0
    until: int = 0
    vectors: int = 0
    read: int | None = None


@dataclass(frozen=True, slots=True)
class RecallInputs:
    """Everything besides the space itself that an answer was computed from.

    `matches` are the full-text matches (sequence, BM25) that could be seen; `people` those whose
    names the question touches; `texts` are what the encoder was asked, None where it was not.
    `scores` are the answer's, best first. `weights` are those of the file that the settings named,
    None for the built-in ones; `candidates` are those of another vector source than the built-in.
    `encoded` are those that had no vector and were encoded within the question, by sequence;
    `stand_ins` what stood for words that no memory had. `parts` are those of the questions that a
    question consists of, if it is more than one: what was looked up for each.
    """

    request: RecallRequest
    snapshot_ref: SnapshotRef
    settings: RecallSettings
    people: Sequence[Person]
    texts: QuestionTexts | None
    matches: Sequence[tuple[int, float]]
    scores: Sequence[float] = ()
    weights: tuple[RankingWeights, RankingWeights] | None = None
    candidates: VectorCandidates | None = None
    encoded: Sequence[int] = ()
    stand_ins: StandIns = field(default_factory=dict)
    parts: Sequence[RecallInputs] = ()

    @property
    def gazetteer(self) -> Gazetteer:
        """The people of that time, as far as the question names them."""
        return Gazetteer(self.people)

    def as_json(self) -> dict[str, Json]:
        """Return them as plain JSON values, without the question, which is in the answer."""
        request, settings = self.request, self.settings.model_dump(mode="json")
        parts = [{"question": p.request.question, **p.looked_up()} for p in self.parts]
        return {
            "limit": request.limit,
            "filters": _filters_as_json(request.filters),
            "as_of": to_text(request.moment) if request.moment else request.as_of,
            "known_at": request.known_at,
            "asked_at": to_text(request.asked_at),
            "hints": request.hints,
            "snapshot": {
                name: value
                for name, value in asdict(self.snapshot_ref).items()
                if name != "read" or value is not None
            },
            "settings": {
                key: value for key, value in settings.items() if key not in _EXCLUDED_SETTINGS
            },
            "people": [[person.id, person.name] for person in self.people],
            "weights": None if self.weights is None else ranking_weights.as_json(self.weights),
            "scores": _packed(np.array(self.scores, np.float64)),
            **({"random_seed": request.random_seed} if request.random_seed is not None else {}),
            **({"current_session": request.current_session} if request.current_session else {}),
            **self.looked_up(),
            **({"parts": parts} if parts else {}),
        }

    def looked_up(self) -> dict[str, Json]:
        """Return what was looked up for one question as plain JSON values."""
        finds, texts = self.request.finds, self.texts
        seqs = np.array([seq for seq, _ in self.matches], np.int64)
        scores = np.array([score for _, score in self.matches], np.float64)
        stand_ins = {term: [[*forms], share] for term, (forms, share) in self.stand_ins.items()}
        return {
            "texts": None if texts is None else [texts.rewritten, [*texts.names]],
            "matches": [_packed(np.diff(seqs, prepend=0).astype(np.int32)), _packed(scores)],
            **({"candidates": asdict(self.candidates)} if self.candidates else {}),
            **({"encoded": list(self.encoded)} if self.encoded else {}),
            **({"stand_ins": stand_ins} if stand_ins else {}),
            **({"finds": [list(find) for find in finds]} if finds else {}),
        }

    def packed(self) -> bytes:
        """Return them in a few bytes, which `unpacked` reads."""
        text = json.dumps(self.as_json(), separators=(",", ":"))
        packer = zlib.compressobj(9, zdict=_COMMON)
        return packer.compress(text.encode("ascii")) + packer.flush()


def unpacked(inputs: bytes | str) -> dict[str, Json]:
    """Return the plain JSON values of inputs that were packed: by earlier versions into text."""
    packed = b85decode(inputs) if isinstance(inputs, str) else inputs
    values: dict[str, Json] = json.loads(zlib.decompressobj(zdict=_COMMON).decompress(packed))
    return values


def seed_of(recall: str, request: RecallRequest | None = None) -> int:
    """Return the random seed of a recall: the given one, else a hash of its id."""
    if request is not None and request.random_seed is not None:
        return request.random_seed
    return int.from_bytes(sha256(recall.encode("utf-8")).digest()[:8], "big")


def matches_of(pool: Pool) -> list[tuple[int, float]]:
    """Return the full-text matches that a pool was built from, in journal order."""
    rows = np.flatnonzero(pool.words)
    seqs = pool.space.view.experiences.seqs[rows].tolist()
    return list(zip(seqs, pool.words[rows].tolist(), strict=True))


def read_inputs(record: Payload) -> RecallInputs:
    """Read the inputs that were stored with an answer.

    Raises `InvalidInput` if there are none, if an earlier version wrote another form, and if a
    setting of that time no longer exists.
    """
    inputs = record.get("inputs")
    if inputs is None:
        raise InvalidInput(
            f"recall {record['recall']} was stored without its inputs (the question had a secret, "
            "or an old version stored it): ask the question again"
        )
    if not inputs.keys() >= {"texts", "scores"}:
        raise InvalidInput(
            f"recall {record['recall']} was stored by an earlier version of Meridia: "
            "ask the question again"
        )
    as_of, weights = inputs["as_of"], inputs.get("weights")
    whole = RecallInputs(
        request=RecallRequest(
            question=record["question"],
            limit=inputs["limit"],
            filters=_filters(inputs["filters"]),
            as_of=from_text(as_of) if isinstance(as_of, str) else as_of,
            known_at=inputs["known_at"],
            asked_at=from_text(inputs["asked_at"]),
            hints=inputs.get("hints"),
            random_seed=(given := inputs.get("random_seed")),
            seed=seed_of(record["recall"]) if given is None else given,
            current_session=inputs.get("current_session"),
        ),
        snapshot_ref=SnapshotRef(**inputs["snapshot"]),
        settings=_settings(inputs["settings"], record["recall"]),
        people=[Person(id, name) for id, name in inputs["people"]],
        texts=None,
        matches=(),
        scores=_unpacked(inputs["scores"], np.dtype(np.float64)).tolist(),
        weights=None
        if weights is None
        else ranking_weights.from_json(weights, "the weights of then"),
    )
    parts = [_with_looked_up(whole, part["question"], part) for part in inputs.get("parts", ())]
    return replace(_with_looked_up(whole, record["question"], inputs), parts=parts)


def _with_looked_up(whole: RecallInputs, question: str, stored: Mapping[str, Any]) -> RecallInputs:
    """Return inputs with what was looked up for a question: the whole one, or a part of it."""
    moved, scores = stored["matches"]
    seqs = np.cumsum(_unpacked(moved, np.dtype(np.int32)).astype(np.int64)).tolist()
    texts, near = stored["texts"], stored.get("candidates")
    finds = tuple((seq, score) for seq, score in stored.get("finds", ()))
    return replace(
        whole,
        request=replace(whole.request, question=question, finds=finds),
        texts=None if texts is None else QuestionTexts(question, *texts),
        matches=[*zip(seqs, _unpacked(scores, np.dtype(np.float64)).tolist(), strict=True)],
        candidates=VectorCandidates(**near) if near else None,
        encoded=tuple(stored.get("encoded", ())),
        stand_ins={t: (forms, share) for t, (forms, share) in stored.get("stand_ins", {}).items()},
    )


def _settings(stored: Payload, recall: str) -> RecallSettings:
    gone = sorted(stored.keys() - RecallSettings.model_fields.keys())
    if gone:
        raise InvalidInput(
            f"recall {recall} was answered with settings that no longer exist ({', '.join(gone)}): "
            "ask the question again"
        )
    return RecallSettings.model_validate(stored)


def _filters_as_json(filters: Filters) -> dict[str, Json]:
    values = {field.name: getattr(filters, field.name) for field in fields(Filters)}
    return {
        key: to_text(value) if isinstance(value, datetime) else value
        for key, value in values.items()
        if value is not None
    }


def _filters(stored: Mapping[str, Any]) -> Filters:
    times = {key: from_text(stored[key]) for key in ("since", "until") if key in stored}
    return Filters(**{**stored, **times})


def _packed(values: NDArray[Any]) -> str:
    return b64encode(values.tobytes()).decode("ascii")


def _unpacked(text: str, kind: np.dtype[Any]) -> NDArray[Any]:
    return np.frombuffer(b64decode(text), kind)
