"""Reads a text once, when it is enriched: sentences, where they may be cut, what they do.

Text in, spans and kinds out; nothing is stored here and no encoder is run. Others import `reading`
(one message), `ranker` (what a summary would mention) and `leaning`.
"""
