-- How far an index looks for one question: far enough for what is asked, and on past filters.
SELECT set_config('hnsw.ef_search', %(ef)s, true),
    set_config('hnsw.iterative_scan', 'relaxed_order', true),
    set_config('ivfflat.probes', %(probes)s, true),
    set_config('ivfflat.iterative_scan', 'relaxed_order', true)
