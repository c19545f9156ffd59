-- The words of messages, with blanks between; rowid is the id of the message, as in SQLite.
CREATE TABLE message_search (
    rowid bigint PRIMARY KEY,
    content text COLLATE "C",
    topic text COLLATE "C",
    words tsvector GENERATED ALWAYS AS (array_to_tsvector(string_to_array(btrim(content || ' ' || topic), ' '))) STORED
);
CREATE INDEX message_search_words ON message_search USING gin (words);

CREATE TABLE message_search_state (
    realm_id bigint PRIMARY KEY,
    indexed bigint NOT NULL
);
