"""From a question to memories and their reasons: candidates, start nodes, ranking, packs."""
