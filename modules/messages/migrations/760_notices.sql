-- expand: adds an index; blocks sending while it is built.
-- For the few notices of resolved topics, which are read when a user changes the setting about them.
CREATE INDEX messages_notices ON messages (realm_id, id) WHERE notice = 1;
