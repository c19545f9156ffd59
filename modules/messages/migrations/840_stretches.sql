-- expand: adds a table, and an index; blocks sending while it is built.
-- Finds the messages of a realm by time, which rises with their IDs within a stretch.
CREATE INDEX messages_realm ON messages (realm_id, id);
CREATE TABLE message_stretches (
    realm_id {int} NOT NULL,
    from_id {int} NOT NULL, -- it ends before the realm's next one begins
    direct_upto {int} NOT NULL, -- no direct message of the stretch up to this ID is expired
    PRIMARY KEY (realm_id, from_id)
);
INSERT INTO message_stretches (realm_id, from_id, direct_upto) SELECT realm_id, 1, direct_upto FROM message_retention;
