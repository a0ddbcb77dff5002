"""What was forgotten under an id, told by a salted hash: its content stands nowhere.

An event that is sent again under an id that was forgotten stays out if it is the same event; other
content makes a new memory. The hash is made slowly (scrypt) with a salt of its forgetting, so that
who holds the journal has to guess whole events, one by one: see docs/forgetting.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from ..core.entries import ForgottenEvents

_BYTES = 16
#: 2 to the power of this, times a kilobyte, is what one hash costs: less where there are many.
_COST_MAX, _COST_MIN, _MANY = 10, 4, 100


def fingerprints(hashes: Mapping[int, str], salt: bytes) -> ForgottenEvents | None:
    """Return what tells events again, by sequence, from the hashes of their content."""
    if not hashes:
        return None
    cost = max(_COST_MIN, _COST_MAX - (len(hashes) // _MANY).bit_length())
    by_seq = {str(seq): _fingerprint(hash, salt, cost) for seq, hash in hashes.items()}
    return ForgottenEvents(salt.hex(), cost, by_seq)


def matching(forgotten: Iterable[ForgottenEvents], seq: int, hash: str) -> bool | None:
    """Say whether the event that was forgotten at `seq` had this hash; None where nothing tells."""
    for events in forgotten:
        fingerprint = events.fingerprints.get(str(seq))
        if fingerprint is not None:
            return fingerprint == _fingerprint(hash, bytes.fromhex(events.salt), events.cost)
    return None


def _fingerprint(hash: str, salt: bytes, cost: int) -> str:
    return hashlib.scrypt(hash.encode(), salt=salt, n=2**cost, r=8, p=1, dklen=_BYTES).hex()
