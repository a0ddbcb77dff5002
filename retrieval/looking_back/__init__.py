"""Looking back: what was lived, with whom, and what became of it."""
