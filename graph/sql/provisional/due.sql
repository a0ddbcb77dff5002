-- Held events whose time is over, with the outline that stays.
SELECT h.seq, h.body, p.body FROM provisional h JOIN payload p ON p.seq = h.seq
WHERE h.space = ? AND h.expires_at <= ?
