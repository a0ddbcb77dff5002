-- Another text of one experience: its whole event was erased, or came back.
UPDATE experience SET text_hash = :text_hash, words = :words, traits = (traits & 496) | :traits
WHERE space = :space AND seq = :seq
