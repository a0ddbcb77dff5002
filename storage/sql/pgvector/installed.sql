-- Which pgvector is installed, and whether our table is there.
SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
    to_regclass('meridia_vectors') IS NOT NULL
