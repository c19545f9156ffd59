CREATE TABLE message_retention (
    realm_id INTEGER PRIMARY KEY,
    direct_upto INTEGER NOT NULL -- no direct message with an id up to this is too old
);
