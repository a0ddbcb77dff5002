-- Finds near vectors of one length quickly, without training.
CREATE INDEX IF NOT EXISTS meridia_vectors_hnsw_{dimension} ON meridia_vectors
USING hnsw ((embedding::halfvec({dimension})) halfvec_cosine_ops) WHERE dimension = {dimension}
