CREATE TABLE message_retention (
    realm_id bigint PRIMARY KEY,
    direct_upto bigint NOT NULL -- no direct message with an id up to this is too old
);
