-- By which terms a held event was indexed, so that they can be taken out again.
UPDATE provisional SET terms = ? WHERE seq = ?
