-- Removes the index of a kind that the settings name no more.
DROP INDEX IF EXISTS meridia_vectors_{kind}_{dimension}
