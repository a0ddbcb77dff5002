-- Full text of one space, so that its statistics are its own; its text comes analysed.
CREATE VIRTUAL TABLE {search} USING fts5 (
    terms, content = '',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co So Sk Pc'")
