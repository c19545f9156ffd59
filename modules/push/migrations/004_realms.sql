-- expand: adds a table; locks none in use.
-- The push service's last answer about each realm. No row: it delivers.
CREATE TABLE push_realms (
	realm_id {int} PRIMARY KEY,
	can_push boolean NOT NULL,
	ends_at {int} -- when it will stop delivering, in Unix seconds; NULL: not planned
);
