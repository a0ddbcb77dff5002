-- The newest rows of the table, newest first; of one answer or memory, or of all.
SELECT f.id, f.reconstitution_id, f.ts, f.mode, f.records_injected, f.records_referenced,
       f.anchors_hit, f.user_rating, f.auto_score, f.notes, f.verdict, f.taken_back IS NOT NULL
FROM reconstitution_feedback f
WHERE f.space = :space
  AND (:id IS NULL OR f.id = :id)
  AND (:about IS NULL OR f.reconstitution_id = :about OR (
        f.reconstitution_id IS NULL AND EXISTS (
            SELECT 1 FROM feedback_effect e JOIN entry x ON x.id = :about AND x.seq = e.memory
            WHERE e.space = :space AND x.space = :space AND e.feedback = f.seq)))
ORDER BY f.seq DESC LIMIT :limit
