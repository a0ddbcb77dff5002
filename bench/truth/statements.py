"""Facts, names and topics beside labels, by words; what no label decides goes by verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bench.truth.labels import Label, Labels, Verdicts
from bench.truth.tally import Item, Verdict, judged
from meridia.core.facts import Fact
from meridia.core.ids import fold
from meridia.language.analyser import Analyser

#: Words for a feeling that may stand for one another where the table says so.
FEELING_GROUPS = (
    frozenset({"satisfied", "happy", "proud", "grateful"}),
    frozenset({"concerned", "sad", "grieving"}),
)
#: Predicates that say the same of the same thing, as readers and rules choose them.
_PREDICATE_GROUPS = tuple(
    frozenset(row.split())
    for row in """
    likes prefers favourite hobby
    uses owns pet
    works_at works_as occupation
    studied studies studies_at graduated_from learns
    origin birthplace grew_up_in
    born birthday age
    name goes_by
    children son daughter sons daughters
    siblings sister sisters brother brothers
    partner marital_status
    wants plan
    """.strip().splitlines()
)
#: Predicates that say anything, so that words alone decide.
_ANY_PREDICATE = frozenset({"note"})
_MOOD = "mood"
#: A reader's type of name → types that it may be derived as, today's and those that may come.
NAME_TYPES = {
    "person": {"PERSON"},
    "pet": {"PERSON", "PET"},
    "place": {"PLACE"},
    "org": {"ORG"},
    "work": {"WORK", "CONCEPT"},
    "product": {"PRODUCT", "TOOL", "SYSTEM"},
    "event": {"EVENT", "CONCEPT"},
    "project": {"PROJECT"},
}


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A name that was derived; without a type it is of a speaker."""

    name: str
    type: str = "PERSON"
    judged_as_name: bool = True


class StatementScorer:
    """Scores what is stated of one source; `analyser` stems words."""

    def __init__(self, labels: Labels, verdicts: Verdicts, analyser: Analyser) -> None:
        self._labels = labels
        self._verdicts = verdicts
        self._analyser = analyser

    def facts(self, stated: Sequence[tuple[str, Fact]]) -> Iterator[Item]:
        """Yield an item for each fact, with its message, and for each label of a fact."""
        matched: list[Label] = []
        for id, fact in stated:
            matching = [label for label in self._labels.of("fact") if self.states(label, id, fact)]
            matched += matching
            right = bool(matching) or self._is_mood(id, fact)
            yield self._judge("facts", id, (fact.subject, fact.predicate, fact.object), right)
        for label in self._labels.of("fact"):
            text = " ".join((label["subject"], label["predicate"], label["object"]))
            yield self._item("facts recall", label.id, judged(label in matched), text)

    def names(self, derived: Sequence[NamedThing]) -> Iterator[Item]:
        """Yield an item for each derived name, each labelled name and each type of a name."""
        by_name = {fold(thing.name): thing for thing in derived}
        labelled = {fold(label["surface"]): label for label in self._labels.of("name")}
        for thing in derived:
            if thing.judged_as_name:
                statement = ("-", f"name:{thing.type}", thing.name)
                yield self._judge("names", "-", statement, fold(thing.name) in labelled)
        for name, label in labelled.items():
            match, text = by_name.get(name), f"{label['type']} {label['surface']}"
            yield self._item("names recall", label.id, judged(match is not None), text)
            if match is not None and label["type"] in NAME_TYPES:
                right = match.type in NAME_TYPES[label["type"]]
                yield self._item("names type", label.id, judged(right), f"{text} as {match.type}")

    def topics(self, derived: Iterable[str]) -> Iterator[Item]:
        """Yield an item for each topic: right when its words hold a label's, or are held by one."""
        labelled = [self._stems(label["phrase"]) for label in self._labels.of("topic")]
        for topic in derived:
            stems = self._stems(topic)
            right = any(stems and (stems <= other or other <= stems) for other in labelled)
            yield self._judge("topics", "-", ("-", "topic", topic), right)

    def states(self, label: Label, id: str, fact: Fact) -> bool:
        """Say whether a label of the same session says what a fact does."""
        return (
            _session(label.id) == _session(id)
            and bool(self._stems(label["object"]) & self._stems(fact.object))
            and bool(self._stems(label["subject"]) & self._stems(fact.subject))
            and compatible(label["predicate"], fact.predicate)
        )

    def _is_mood(self, id: str, fact: Fact) -> bool:
        labels = self._labels.at(id, "feeling") if fact.predicate == _MOOD else []
        words = fold(fact.object).split()
        return any(feels(word, label, grouped=True) for word in words for label in labels)

    def _judge(self, row: str, id: str, statement: tuple[str, str, str], right: bool) -> Item:
        place = f"{self._labels.source}/{id}"
        verdict = True if right else self._verdicts.get((place, *statement))
        told = Verdict.UNJUDGED if verdict is None else judged(verdict)
        return self._item(row, id, told, "\t".join(statement))

    def _item(self, row: str, id: str, verdict: Verdict, text: str) -> Item:
        return Item(row, self._labels.source, id, verdict, text)

    def _stems(self, text: str) -> set[str]:
        return set(self._analyser.terms(text.replace("_", " ")))


def compatible(labelled: str, derived: str) -> bool:
    """Say whether two predicates may say the same; a favourite's kind does not matter."""
    first, second = _bare(labelled), _bare(derived)
    return (
        first == second
        or second in _ANY_PREDICATE
        or any({first, second} <= group for group in _PREDICATE_GROUPS)
    )


def feels(word: str, label: Label, *, grouped: bool) -> bool:
    """Say whether a label of a feeling lists a word, or one of the same group."""
    words = set(label.list_of_words)
    if word in words:
        return True
    return grouped and any(word in group and words & group for group in FEELING_GROUPS)


def _bare(predicate: str) -> str:
    return "favourite" if predicate.startswith("favourite_") else predicate


def _session(id: str) -> str:
    return id.partition(":")[0]
