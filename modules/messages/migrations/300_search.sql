-- expand: adds a table; locks none in use.
CREATE TABLE message_search_state (
    realm_id {int} PRIMARY KEY,
    indexed {int} NOT NULL
);
