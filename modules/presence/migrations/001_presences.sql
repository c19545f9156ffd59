-- expand: adds a table; locks none in use.
-- When users were last present. Every change of a row takes the realm's next counter, under the realm's lock, so that
-- whoever has read a counter has read all lower ones. Rows are never deleted, since the highest counter could be used
-- twice.
CREATE TABLE presences (
	user_id {int} PRIMARY KEY,
	realm_id {int} NOT NULL,
	active_at {time} NULL, -- NULL: never
	connected_at {time} NOT NULL,
	counter {int} NOT NULL
);
CREATE UNIQUE INDEX presences_counter ON presences (realm_id, counter);
