-- Held events whose time is over, with the outline that stays, where that was not erased.
SELECT h.seq, h.body, p.body FROM provisional h LEFT JOIN payload p ON p.seq = h.seq
WHERE h.space = ? AND h.expires_at <= ?
