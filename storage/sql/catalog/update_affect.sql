-- How one experience was lived, in the columns that people ask for.
UPDATE experience SET emotional_primary = :primary, emotional_intensity = :intensity,
    emotional_valence = :valence, engagement_quality = :engagement
WHERE space = :space AND seq = (SELECT seq FROM entry WHERE id = :id)
