"""From what happened to an experience: stages before the commit, enrichment after it."""
