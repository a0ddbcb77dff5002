-- name: all
-- Every held event of a space with what the journal says of it.
SELECT h.seq, h.body, p.body FROM provisional h JOIN payload p ON p.seq = h.seq WHERE h.space = ?

-- name: due
-- Held events whose time is over, with the outline that stays, where that was not erased.
SELECT h.seq, h.body, p.body FROM provisional h LEFT JOIN payload p ON p.seq = h.seq
WHERE h.space = ? AND h.expires_at <= ?

-- name: erase
-- Erases one held event.
DELETE FROM provisional WHERE +space = ? AND seq = ?

-- name: hold
-- Holds the full event of a skeleton beside the journal; without an expiry, for good.
INSERT OR REPLACE INTO provisional (space, seq, expires_at, body) VALUES (?, ?, ?, ?)

-- name: is_due
-- Whether any held event's time is over.
SELECT EXISTS (SELECT 1 FROM provisional WHERE space = ? AND expires_at <= ?)

-- name: listed_body
-- The body that an experience is listed by, when its event was not held for good already.
SELECT coalesce(h.body, p.body) FROM payload p LEFT JOIN provisional h ON h.seq = p.seq
WHERE +p.space = ? AND p.seq = ?
