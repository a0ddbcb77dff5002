-- Finds near vectors of one length quickly; smaller than hnsw, and trained on what is there.
CREATE INDEX IF NOT EXISTS meridia_vectors_ivfflat_{dimension} ON meridia_vectors
USING ivfflat ((embedding::halfvec({dimension})) halfvec_cosine_ops)
WITH (lists = {lists}) WHERE dimension = {dimension}
