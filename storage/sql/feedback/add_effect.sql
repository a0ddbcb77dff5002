-- What one feedback gives to one memory; nothing, where there is no such memory in the space.
INSERT INTO feedback_effect (space, memory, feedback, how, hundredths)
SELECT :space, e.seq, :feedback, :how, :hundredths FROM entry e
WHERE e.id = :memory AND e.space = :space
