"""Packs: what an agent should know now, cited, within a hard budget of tokens."""
