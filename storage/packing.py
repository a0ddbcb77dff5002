"""Text packed against what most texts of its kind have in common; unpacked wherever it is read.

For what the rules derive and decide, which is the same words again and again: a third is left. What
was said stays as it is. Statements unpack by the function `plain`.
"""

from __future__ import annotations

import zlib

#: What most of these texts have in common. It never changes: without it, what was packed cannot be
#: read. What is near the end is packed best.
_COMMON = (
    b'{"action":"capture","redacted":{"email":1},"duplicate_of":"","marks":["echo"],'
    b'"reason":"it is a result of a tool","outcome":"full","mode":"full","should_capture":true,'
    b'"commitments":[{"end":98,"kind":"promise","objects":[],"start":0,"verb":"go",'
    b'"due":"2026-01-01T00:00:00.000000Z"}],"artifacts":[{"uri":"https://","sha256":"",'
    b'"media_type":"image/jpeg","description":""}],"by":"caller","anchors":[{"phrase":"",'
    b'"uncertainties":[],"primary":["happy"],"engaged","news":true,"headline":"",'
    b'"importance":0.5,"deadline":0.2,"cancel":0.2,"joke":0.2,"formula":0.2,"proposal":0.2,'
    b'"othernews":0.2,"like":0.2,"promise":0.2,"wish":0.2,"setback":0.2,"done":0.2,"plan":0.2,'
    b'"general":0.2,"state":0.2,"advice":0.2,"surprised":0.2,"frustrated":0.2,"relieved":0.2,'
    b'"concerned":0.2,"proud":0.2,"curious":0.2,"excited":0.2,"sad":0.2,"grateful":0.2,'
    b'"happy":0.2,"keep":"keep","make":"make","made":"made","got":"got","see":"see",'
    b'"work":"working","time":"time","all":"all","help":"helps","look":"looks","like":"like",'
    b'"love":"love","go":"going","good":"good","great":"great","realli":"really",'
    b'"sound":"sounds","thank":"thanks","wow":"wow","yeah":"yeah"},"experience":"01a",'
    b'"people":[{"id":"person_","name":"","people":[],"phenomenology":{"emotionalSignature":{'
    b'"intensity":0.4926,"primary":[],"valence":0.3784},"engagementQuality":"routine"},"topics":{'
    b'},"utterances":[{"end":17,"feelings":{},"kinds":{"greeting":0.2,"thanks":0.76},"start":0},'
    b'{"end":102,"feelings":{"happy":0.16},"kinds":{"opinion":0.35,"news":0.38,"question":0.9},'
    b'"start":18}]}{"by":"rule","concepts":{"{"experience":"01a","related":[["01a",0.6876],["01a'
    b'{"should_capture":false,"significance":0.4025,"threshold":0.7,"mode":"light",'
    b'"outcome":"text_only","status":"evaluated","reason":"0.403 of the 0.7 that a full capture '
    b'needs","factors":[["novelty",0.75,0.25,0.1875,"first words of this speaker in the session"],'
    b'["novelty",0.8,0.25,0.2,"nothing captured before in this session"],'
    b'["novelty",0.65,0.25,0.1625,"not said before, at an unknown distance"],'
    b'["impact",0.3,0.3,0.09,"nothing that changes much"],'
    b'["relational",0.4,0.15,0.06,"it names a person"],'
    b'["temporal",0.5,0.1,0.05,"no time is given"],'
    b'["user_intent",0.8,0.2,0.16,"it asks to be remembered"]]}'
    b'["user_intent",0.2,0.2,0.04,"nobody asked for it to be kept"]]}'
)
#: Raw deflate in a small window: the common text and one text more fit into it.
_WINDOW = -13


def pack(text: str) -> str | bytes:
    """Return a text packed, or as it is where that is no longer."""
    packer = zlib.compressobj(6, zlib.DEFLATED, _WINDOW, 6, zdict=_COMMON)
    plain = text.encode("utf-8")
    packed = packer.compress(plain) + packer.flush()
    return packed if len(packed) < len(plain) else text


def unpack(stored: str | bytes | None) -> str | None:
    """Return the text that `pack` was given; None for None.

    Raises `ValueError` for bytes that it did not return.
    """
    if not isinstance(stored, bytes):
        return stored
    try:
        unpacker = zlib.decompressobj(_WINDOW, zdict=_COMMON)
        return (unpacker.decompress(stored) + unpacker.flush()).decode("utf-8")
    except zlib.error as error:
        raise ValueError(f"packed text cannot be read: {error}") from None
