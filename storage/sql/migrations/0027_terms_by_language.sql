-- Stems are those of each text's language: full text is made anew when it is asked.
INSERT OR IGNORE INTO full_text_unmade (space) SELECT number FROM space WHERE head_seq > 0;
