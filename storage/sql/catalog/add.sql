-- Lists one experience, in the transaction that captured it.
INSERT INTO experience (
    seq, space, id, event_id, kind, at, person, session, text_hash, words, traits,
    status, outcome, significance
) VALUES (
    :seq, :space, :id, :event_id, :kind, :at, :person, :session, :text_hash, :words, :traits,
    :status, :outcome, :significance
)
