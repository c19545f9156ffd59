CREATE TABLE message_search_state (
    realm_id {int} PRIMARY KEY,
    indexed {int} NOT NULL
);
