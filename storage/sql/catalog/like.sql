-- The experiences that are like this: by session, significance, engagement and valence.
SELECT seq FROM experience
WHERE space = :space
  AND (:session IS NULL OR session = :session)
  AND (:significance_min IS NULL OR significance >= :significance_min)
  AND (:engagement IS NULL OR engagement_quality = :engagement)
  AND (:valence_min IS NULL OR emotional_valence >= :valence_min)
  AND (:valence_max IS NULL OR emotional_valence <= :valence_max)
ORDER BY seq
