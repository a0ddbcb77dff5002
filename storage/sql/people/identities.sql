-- Everybody who is shown by another name than the one that was given, or is somebody else.
SELECT person, canonical, shown FROM person_identity WHERE space = ?
