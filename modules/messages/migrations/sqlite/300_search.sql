CREATE VIRTUAL TABLE message_search USING fts5(content, topic, tokenize = 'ascii', detail = none);

CREATE TABLE message_search_state (
    realm_id INTEGER PRIMARY KEY,
    indexed INTEGER NOT NULL
);
