"""Words that every other part shares: types, ids, time, errors, settings, ports, text analysis."""
