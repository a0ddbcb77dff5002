"""Receipts: what was erased, signed with a key of the journal, and whether one is true.

A receipt is a JSON object. Its `signature` is HMAC-SHA256 over the rest in canonical form, with a
key that stands in the journal's file alone. It repeats what was asked for, so keep it where names
may stand; the journal keeps neither the receipt nor the names.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, Field, Strict

from ...core.entries import Forgotten
from ...core.errors import InvalidInput, NotFound
from ...core.ids import RandomBytes
from ...core.time import to_text
from ...core.types import Json, Payload, Space
from ..sinks.sink_state import SinkState
from ..store import Store
from ..upkeep import unfinished
from .erasure import Erased, ForgettingRequest

_KEY_BYTES = 32
_Number = Annotated[int, Strict(), Field(ge=0, le=2**63 - 1)]
_FORM = 1


class _ReceiptEntry(BaseModel):
    """The entry of the journal that a receipt is about."""

    seq: _Number
    hash: str


class _Receipt(BaseModel):
    """The fields that are checked in a receipt, which may come from anyone."""

    signature: str
    space: str
    entry: _ReceiptEntry
    erased: list[tuple[_Number, _Number]]
    sinks: list[str] = []
    replicas: list[str] = []


def receipt_of(
    store: Store,
    space: Space,
    request: ForgettingRequest,
    erased: Erased,
    outside: Mapping[str, Sequence[str]],
    random_bytes: RandomBytes,
) -> Payload:
    """Return the signed receipt of a forgetting.

    `outside` names places outside of the file: those `emptied`, to be built again, `sinks`, and
    `replicas` by their names.
    """
    assert erased.seq is not None
    assert erased.at is not None
    receipt: dict[str, Json] = {
        "form": _FORM,
        "space": space,
        "asked": request.as_json(),
        "at": to_text(erased.at),
        "entry": {"seq": int(erased.seq), "hash": erased.hash.hex()},
        "memories": len(erased.selection.memories),
        "entries": dict(sorted(erased.selection.kinds.items())),
        "erased": [list(run) for run in erased.selection.runs],
        "places": dict(erased.places),
        **{name: list(places) for name, places in outside.items()},
    }
    return receipt | {"signature": _signature(store, space, receipt, random_bytes).decode()}


def receipt_problems(store: Store, receipt: Mapping[str, Json]) -> list[str]:
    """Return what is wrong with a receipt, or with what it says of this journal; none: it is true.

    Raises `InvalidInput` for an object that is not a receipt.
    """
    try:
        says = _Receipt.model_validate(receipt)
        json.dumps(receipt, ensure_ascii=False).encode()
    except (ValueError, TypeError, RecursionError):
        raise InvalidInput(
            "this is not a receipt: it needs signature, space, entry and erased"
        ) from (None)
    rest = {name: value for name, value in receipt.items() if name != "signature"}
    space, seq, runs = Space(says.space), says.entry.seq, says.erased
    try:
        expected = _signature(store, space, rest, None)
        entries = [e for e in store.journal.read(space, seq - 1, 1) if e.seq == seq]
    except NotFound:
        return [f"it is of another journal: this one has no receipts or no space {space!r}"]
    problems = []
    if not hmac.compare_digest(expected, says.signature.encode()):
        problems.append("its signature is not this journal's, or it was changed")
    if (
        not entries
        or entries[0].hash.hex() != says.entry.hash
        or not isinstance(entries[0].payload, Forgotten)
    ):
        problems.append(f"the journal has no forgetting at {seq} with this hash")
    elif list(entries[0].payload.erased) != runs:
        problems.append("the journal says that other entries were erased")
    scope = store.space(space).space_scope
    for first, last in runs:
        if row := scope.row("forgetting/still_there", first=first, last=last):
            problems.append(f"entry {row[0]} was not erased")
    problems += _sink_problems(store, space, says.sinks, seq)
    problems += [
        f"replica {each.name} may still hold it: it was seen last at {each.seen_at}, and forgets "
        "it before it answers; of one that is no more: `meridia follow --forget NAME`"
        for each in (store.replicas() if says.replicas else ())
        if each.name in says.replicas and each.cleaned < seq
    ]
    if any(each == (space, seq) for each in unfinished(store)):
        problems.append("the forgetting is not finished: open the journal alone to finish it")
    return problems


def _sink_problems(store: Store, space: Space, sinks: Sequence[str], seq: int) -> list[str]:
    return [
        f"{sink} still holds it: `meridia sinks sync` tells it"
        for sink in sinks
        if SinkState(store.space(space), sink).forgotten < seq
    ]


def _signature(
    store: Store, space: Space, receipt: Mapping[str, Json], random_bytes: RandomBytes | None
) -> bytes:
    """Return the signature of what a receipt says; the key is made by who first needs one.

    Raises `NotFound` where there is none, and none may be made.
    """
    scope = store.space(space).space_scope
    if random_bytes is not None:
        scope.run("forgetting/keep_key", key=random_bytes(_KEY_BYTES))
    row = scope.row("forgetting/key")
    if row is None:
        raise NotFound("this journal has not made a receipt yet")
    text = json.dumps(receipt, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hmac.new(row[0], text.encode("utf-8"), hashlib.sha256).hexdigest().encode()
