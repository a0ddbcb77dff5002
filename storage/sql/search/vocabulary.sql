-- Every term of a space, in how many experiences and how often, to be compared.
SELECT term, doc, cnt FROM {search}_vocabulary ORDER BY term
