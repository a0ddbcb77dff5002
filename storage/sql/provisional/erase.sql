-- Erases one held event.
DELETE FROM provisional WHERE seq = ?
