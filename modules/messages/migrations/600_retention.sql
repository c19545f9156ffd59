-- expand: adds a table; locks none in use.
CREATE TABLE message_retention (
    realm_id {int} PRIMARY KEY,
    direct_upto {int} NOT NULL -- no direct message up to this ID is expired
);
