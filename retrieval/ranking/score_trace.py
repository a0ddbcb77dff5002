"""The trace of one memory, as a tree whose leaves sum to its score, and its short form.

The short form is one sentence that says why the memory was recalled, and its score by place: the
memory's own words, its neighbours, its session. Each value is a sum of leaves, and together they
are the score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Protocol, TypeVar

from ...core.text import counted
from ...graph.schema import EDGES
from .contributions import WORDING, Contribution, Evidence, PathStep, TraceNode

if TYPE_CHECKING:
    from ...graph.view import Ints
    from ...traversal.walk import ActivationPath


#: Paths of activation have a leaf each up to here; the others share one.
_PATHS_MAX = 5
#: A rest below this fraction of a value comes from rounding, and is no path.
_ROUNDING = 1e-9

#: Names a node by its dense index: its id or address, a word for it, and its sequence if any.
Name = Callable[[int], tuple[str, str, int | None]]

#: Where the evidence lies that activation brings over an edge; a shared topic for all others.
_EVIDENCE: Mapping[str, Evidence] = {
    "NEXT": Evidence.NEIGHBOUR,
    "IN_SESSION": Evidence.SESSION,
    "SPOKEN_BY": Evidence.SPEAKER,
}
#: The message so many places after another one.
BESIDE: Mapping[int, str] = {
    -2: "the message two before",
    -1: "the message before",
    1: "the message after",
    2: "the message two after",
}


class Texts(Protocol):
    """The texts that a trace uses for the memories and words that it names."""

    def describe(self, row: int) -> tuple[str, str, int]:
        """Return the address of an experience, how its text begins, and its sequence."""
        ...

    def name(self, node: int) -> tuple[str, str, int | None]:
        """Return a node's id or address, a word for it, and its sequence if it is a memory."""
        ...

    def spell(self, row: int, stem: str) -> tuple[str, bool]:
        """Return a word as the text of a row has it, and True; else as the question has it."""
        ...


def strongest_paths(
    contributions: Sequence[Contribution], order: Ints, rows: Ints
) -> Mapping[int, Sequence[ActivationPath]]:
    """Return the strongest paths into each row that activation reached; `order` are its places."""
    return {
        int(row): list(islice(contribution.paths(int(row)), _PATHS_MAX))
        for contribution in contributions
        if contribution.paths is not None
        for place, row in zip(order, rows, strict=True)
        if contribution.values[place] != 0.0
    }


def explain(
    contributions: Sequence[Contribution],
    place: int,
    row: int,
    paths: Sequence[ActivationPath],
    texts: Texts,
) -> TraceNode:
    """Return the trace of the memory at `place` of the pool, `row` of the view.

    Activation reached it by `paths`.
    """
    groups: dict[str, list[TraceNode]] = {}
    for contribution in contributions:
        value = float(contribution.values[place])
        if value == 0.0:
            continue
        if contribution.paths is None:
            leaf = _leaf(contribution, place, row, texts)
        else:
            children = _path_nodes(value, contribution.unit, paths, texts.name)
            leaf = TraceNode(contribution.label, value, contribution.edge, children=children)
            # Without paths it is a leaf itself.
            leaf = leaf if children else replace(leaf, evidence=contribution.evidence)
        groups.setdefault(contribution.term, []).append(leaf)
    branches = [
        TraceNode(term, sum(leaf.value for leaf in leaves), children=tuple(leaves))
        for term, leaves in groups.items()
    ]
    branches.sort(key=lambda branch: -abs(branch.value))
    return TraceNode("score", sum(branch.value for branch in branches), children=tuple(branches))


def _leaf(contribution: Contribution, place: int, row: int, texts: Texts) -> TraceNode:
    """Return a contribution as the leaf of one memory's trace, in the words of the texts."""
    from_, label, word = row, contribution.label, None
    address = sequence = None
    if contribution.source is not None:
        from_ = int(contribution.source[place])
        address, beginning, sequence = texts.describe(from_)
    if contribution.stem is not None:
        word, is_there = texts.spell(from_, contribution.stem)
        is_there = is_there and contribution.evidence is not Evidence.SESSION
        label = f"says “{word}”" if is_there else f"{label} “{word}”"
    if contribution.error is not None:
        label = f"{label}, standard error {float(contribution.error[place]):.4f}"
    if address is not None:
        label = f"{BESIDE.get(contribution.offset, 'a message')} {label}: @{sequence} “{beginning}”"
    return TraceNode(
        label,
        float(contribution.values[place]),
        contribution.edge,
        address,
        evidence=contribution.evidence,
        word=word,
        stem=contribution.stem,
        offset=contribution.offset,
        seq=sequence,
    )


def _path_nodes(
    value: float, unit: float, paths: Sequence[ActivationPath], name: Name
) -> tuple[TraceNode, ...]:
    """Return a node for each path, and one for all weaker ones; they add up to `value`."""
    nodes = [_path_node(path, unit, name) for path in paths]
    rest = value - sum(reason.value for reason in nodes)
    if len(paths) == _PATHS_MAX and rest > _ROUNDING * value:
        nodes.append(TraceNode("weaker paths", rest, evidence=Evidence.TOPIC))
    return tuple(nodes)


def _path_node(path: ActivationPath, unit: float, name: Name) -> TraceNode:
    """Return the node of one path: over what, how many hops, and where it began."""
    words = [name(node) for node in path.nodes]
    steps = tuple(
        PathStep(type, *(ends if along else ends[::-1]))
        for type, along, ends in zip(
            path.types, path.along, pairwise([id for id, _, _ in words]), strict=True
        )
    )
    address, beginning, sequence = words[0]
    between = [word for _, word, _ in words[1:-1]]
    ends = [f"{EDGES[type][0].target} ".removeprefix("Experience ") for type in path.types]
    over = [end + word for end, word in zip(ends, between, strict=False)]
    segments = [f"via {' and '.join(over)}" if over else "directly", counted(path.hops, "hop")]
    label = ", ".join([*segments, *([path.note] if path.note else []), f"from {beginning}"])
    evidence = _EVIDENCE.get(path.types[-1], Evidence.TOPIC)
    return TraceNode(
        label,
        unit * path.amount,
        path.types[-1],
        address,
        (),
        steps,
        evidence,
        word=" and ".join(between) or None,
        seq=sequence,
    )


Key = TypeVar("Key")

#: Places below this fraction of a score are summed in one line.
_SHARE_MIN = 0.02
#: Places that have a line of their own; two more lines are for the rest, and what counts most.
PLACES_MAX = 3
#: Components of a place that are named; the others are one sum.
_COMPONENTS_MAX = 2
#: A second clause is for at least this fraction of a score.
_CLAUSE_MIN = 0.15
_CLAUSES_MAX = 2
_WORDS_MAX = 3
#: What counts less is told without its number, which would be 0.0.
_AMOUNT_MIN = 0.05
_WORDED = "worded like an answer"

#: Each place in words.
_PLACES: Mapping[Evidence, str] = {
    Evidence.OWN_WORDS: "its own words",
    Evidence.MEANING: "its meaning",
    Evidence.NEIGHBOUR: "its neighbours",
    Evidence.SESSION: "its session",
    Evidence.SPEAKER: "its speaker",
    Evidence.TOPIC: "a shared topic",
    Evidence.TIME: "its time",
    Evidence.FORM: "its form",
    Evidence.HISTORY: "its history",
    Evidence.FACETS: "its facets",
}
#: Two messages that share a topic are so many edges from each other.
_BY_TOPIC = 2
#: Each method in one word.
_METHODS: Mapping[Evidence, str] = {
    Evidence.OWN_WORDS: "words",
    Evidence.TOPIC: "activation",
}
#: The branch of what everything has that the person asked about says, or that is said near them.
_SPEAKER = "speaker"
#: The branch of which of several statements is asked for: told as well, whatever it counts.
_ORDER = "order"
#: The branch of which of several questions it answers: told too.
_PART = "part"


@dataclass(frozen=True, slots=True)
class PlaceSum:
    """The part of a score from one place, in words and as a sum."""

    place: str
    value: float
    components: Sequence[tuple[str, float]] = ()


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """A trace in short.

    `sentence` says why. `method` names what gave most, apart from the speaker, and `hops` the edges
    between that and the memory. `places` and `rest` sum to the score.
    """

    sentence: str
    method: str
    hops: int
    places: Sequence[PlaceSum]
    rest: Sequence[PlaceSum]


def summarise(trace: TraceNode) -> TraceSummary:
    """Return a trace in short; its places and its rest sum to the score."""
    leaves = [leaf for leaf in trace.leaves() if leaf.evidence is not None]
    places = sorted(
        (
            PlaceSum(_PLACES[place], _total(of_place), _components(of_place, trace.value))
            for place, of_place in _grouped(leaves, attrgetter("evidence")).items()
        ),
        key=lambda place_sum: -abs(place_sum.value),
    )
    least = _SHARE_MIN * abs(trace.value)
    own_line = [place for place in places if abs(place.value) >= least][:PLACES_MAX]
    speaker = [
        leaf
        for branch in trace.children
        if branch.label in (_SPEAKER, _ORDER, _PART)
        for leaf in branch.leaves()
    ]
    ids = {id(leaf) for leaf in speaker}
    content = [leaf for leaf in leaves if id(leaf) not in ids and leaf.evidence != Evidence.FORM]
    strongest = max(
        _grouped(content or leaves, attrgetter("evidence")).values(), key=_total, default=[]
    )
    place = strongest[0].evidence if strongest else None
    method = "none" if place is None else _METHODS.get(place, place.value)
    hops = max(strongest, key=attrgetter("value")).hops if strongest else 0
    if walk := next(filter(_is_walk, leaves), None):
        method, hops = "traversal", walk.hops
    return TraceSummary(
        _sentence(content or leaves, speaker, trace.value, walk),
        method,
        hops,
        own_line,
        [place for place in places if place not in own_line],
    )


def _sentence(
    content: Sequence[TraceNode],
    speaker: Sequence[TraceNode],
    score: float,
    walk: TraceNode | None,
) -> str:
    """Return why a memory came back: at most two reasons, and whether the right person says it.

    The number of each is the sum of the leaves that it names.
    """
    clauses = [
        clause
        for place, of_place in _grouped(content, attrgetter("evidence")).items()
        for clause in _clauses(place, of_place)
    ]
    # How a text is worded says little to a reader: what it says comes first.
    clauses.sort(key=lambda clause: -clause[1] / (2 if _is_form(clause) else 1))
    enough = [
        clause
        for rank, clause in enumerate(clauses[:_CLAUSES_MAX])
        if not rank or clause[1] >= _CLAUSE_MIN * score
    ]
    sentences = [
        f"{text} ({value:.1f}{'' if rank else f' of {score:.1f}'})"
        for rank, (text, value) in enumerate(enough)
    ]
    if walk:
        sentences.insert(0, _walked(walk))
    sentences += [
        f"{leaf.label} ({leaf.value:.1f})" if abs(leaf.value) >= _AMOUNT_MIN else leaf.label
        for leaf in speaker
        if leaf.evidence is not Evidence.SESSION
    ]
    sentence = "; ".join(sentences) or "nothing speaks for it"
    return f"{sentence[0].upper()}{sentence[1:]}."


def _clauses(place: Evidence, leaves: Sequence[TraceNode]) -> list[tuple[str, float]]:
    """Return what one place says of the question, in parts, each with the sum of its leaves."""
    match place:
        case Evidence.OWN_WORDS:
            return _says("its own words say", "its own words are near to", "it is", leaves)
        case Evidence.NEIGHBOUR:
            clauses = map(_beside, _grouped(leaves, attrgetter("seq")).values())
            return [clause for clause in clauses if clause[1] > 0]
        case Evidence.SESSION if words := [leaf for leaf in leaves if leaf.word is not None]:
            said = sorted(words, key=attrgetter("value"), reverse=True)[:_WORDS_MAX]
            named = _listed([f"“{leaf.word}”" for leaf in said])
            rest = [leaf for leaf in leaves if leaf.word is None]
            others = _clauses(place, rest) if rest else []
            return [(f"its session says {named}", _total(said)), *others]
        case Evidence.MEANING:
            return [("its meaning is close to the question's", _total(leaves))]
        case Evidence.TOPIC if (
            best := max(leaves, key=attrgetter("value"))
        ).word and best.seq is not None:
            text = f"it shares the topic “{best.word}” with @{best.seq}"
            if len(best.steps) > _BY_TOPIC:
                text = f"it is linked to @{best.seq} through {best.word}"
            return [(text, best.value)]
    return [
        (f"{_PLACES[place]}: {label}", _total(of_label))
        for label, of_label in _grouped(leaves, lambda leaf: leaf.label).items()
    ]


def _beside(leaves: Sequence[TraceNode]) -> tuple[str, float]:
    """Return all that speaks for a memory in one message beside it."""
    positive = [each for each in _says("says", "is near to", "is", leaves) if each[1] > 0]
    phrases = _listed([phrase for phrase, _ in positive])
    return f"{_place(leaves[0])} {phrases}", sum(value for _, value in positive)


def _place(leaf: TraceNode) -> str:
    """Return the position of a neighbouring message, in words."""
    count = "two " if abs(leaf.offset) > 1 else ""
    return f"@{leaf.seq} {count}{'before' if leaf.offset < 0 else 'after'} it"


def _is_form(clause: tuple[str, float]) -> bool:
    """Return whether a clause tells how a text is worded, and nothing else."""
    return clause[0].endswith(f"it is {_WORDED}")


def _says(
    says: str, is_near: str, it_is: str, leaves: Sequence[TraceNode]
) -> list[tuple[str, float]]:
    """Return the question's words that a place has, those it nearly has, and other evidence."""
    by_stem = _grouped([leaf for leaf in leaves if leaf.stem is not None], lambda leaf: leaf.stem)
    strongest = sorted(by_stem.values(), key=_total, reverse=True)
    written = [of_stem for of_stem in strongest if any(map(_is_literal, of_stem))][:_WORDS_MAX]
    near = [of_stem for of_stem in strongest if not any(map(_is_literal, of_stem))][:1]
    clauses = [
        (
            f"{verb} {_listed([_word_of(of_stem) for of_stem in chosen])}",
            sum(map(_total, chosen)),
        )
        for verb, chosen in ((says, written), (is_near, near))
        if chosen
    ]
    rest = [leaf for leaf in leaves if leaf.stem is None]
    for phrase in (WORDING, "close"):
        if of_phrase := [leaf for leaf in rest if phrase in leaf.label]:
            how = _WORDED if phrase is WORDING else "close in meaning"
            clauses.append((f"{it_is} {how}", _total(of_phrase)))
    return clauses


def _word_of(leaves: Sequence[TraceNode]) -> str:
    return f"“{next((leaf for leaf in leaves if _is_literal(leaf)), leaves[0]).word}”"


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if words[1:] else "".join(words)


def _components(leaves: Sequence[TraceNode], score: float) -> list[tuple[str, float]]:
    """Return the parts of a place's sum, the largest first; small ones are merged."""
    sums = sorted(
        (
            (_component(of_name[0]), _total(of_name))
            for of_name in _grouped(leaves, _component).values()
        ),
        key=lambda component: -abs(component[1]),
    )
    large = [s for s in sums if abs(s[1]) >= _SHARE_MIN * abs(score)][:_COMPONENTS_MAX]
    small = sum(value for name, value in sums if (name, value) not in large)
    return [*large, ("other", small)] if len(large) < len(sums) else large


def _component(leaf: TraceNode) -> str:
    if _is_walk(leaf):
        return _walked(leaf)
    if leaf.evidence is Evidence.NEIGHBOUR and leaf.seq is not None:
        return _place(leaf)
    if leaf.evidence is Evidence.TOPIC and leaf.word:
        return f"“{leaf.word}” with @{leaf.seq}"
    if leaf.word is not None:
        return f"“{leaf.word}”" if _is_literal(leaf) else f"like “{leaf.word}”"
    if leaf.evidence is Evidence.MEANING:
        return "close to the question's"
    return leaf.label.removeprefix("session ")


def _is_walk(leaf: TraceNode) -> bool:
    """Return whether a walk brought the memory: only then is a lost signal subtracted."""
    return bool(leaf.steps) and leaf.value < 0


def _walked(walk: TraceNode) -> str:
    return f"reached from @{walk.seq} by a walk, {walk.hops} hop{'s' * (walk.hops > 1)}"


def _is_literal(leaf: TraceNode) -> bool:
    """Return whether the text has the word itself."""
    return f"says “{leaf.word}”" in leaf.label


def _grouped(
    leaves: Iterable[TraceNode], key: Callable[[TraceNode], Key]
) -> dict[Key, list[TraceNode]]:
    groups: dict[Key, list[TraceNode]] = {}
    for leaf in leaves:
        groups.setdefault(key(leaf), []).append(leaf)
    return groups


def _total(leaves: Sequence[TraceNode]) -> float:
    return sum(leaf.value for leaf in leaves)
