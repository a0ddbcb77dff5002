-- Whether there is any feedback in a space: most spaces have none, and are asked often.
SELECT EXISTS (SELECT 1 FROM feedback_effect WHERE space = ?)
