-- What filters leave: of `experience x`, its payload `p`, and its held event `h`, if any.
(:restricted OR x.traits & 64 = 0)
  AND (:people IS NULL OR x.person IN (SELECT value FROM json_each(:people)))
  AND (:session IS NULL OR x.session = :session)
  AND (:kind IS NULL OR x.kind = :kind)
  AND (:engagement IS NULL OR x.engagement_quality = :engagement)
  AND (:emotion IS NULL OR :emotion IN (SELECT value FROM json_each(x.emotional_primary)))
  AND (:since IS NULL OR x.at >= :since)
  AND (:until IS NULL OR x.at < :until)
  AND (:seq_max IS NULL OR x.seq <= :seq_max)
  AND {include fragments/metadata_conditions}
  AND (x.superseded_by IS NULL OR x.superseded_by > coalesce(:seq_max, x.superseded_by))
