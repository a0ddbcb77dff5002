// Finds experiences by meaning, on Neo4j; without a dimension, so that encoders can change.
CREATE VECTOR INDEX meridia_vectors IF NOT EXISTS
FOR (x:Experience) ON (x.embedding)
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}}
