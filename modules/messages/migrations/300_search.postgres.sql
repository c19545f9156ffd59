-- The words of messages, separated by blanks. rowid is the ID of the message, as in SQLite.
CREATE TABLE message_search (
    rowid bigint PRIMARY KEY,
    content text COLLATE "C",
    topic text COLLATE "C",
    words tsvector GENERATED ALWAYS AS (array_to_tsvector(string_to_array(btrim(content || ' ' || topic), ' '))) STORED
);
CREATE INDEX message_search_words ON message_search USING gin (words);
