-- Lists a person by the name that is now the first that was given.
UPDATE relationship SET display_name = :name WHERE space = :space AND user_id = :person
