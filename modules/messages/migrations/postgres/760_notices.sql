-- Resolve notices, which are few: looked for when somebody chooses to have them otherwise.
CREATE INDEX messages_notices ON messages (realm_id, id) WHERE notice = 1;
