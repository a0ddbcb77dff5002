-- A feedback that is taken back counts no more from here on; before, it did.
UPDATE reconstitution_feedback SET taken_back = :seq, taken_back_at = :at
WHERE space = :space AND id = :id AND taken_back IS NULL
