-- expand: adds a table; locks none in use.
CREATE TABLE pictures (
	key text PRIMARY KEY, -- of the blob
	realm_id {int} NOT NULL,
	state {int} NOT NULL, -- 0: unreferenced, 1: referenced, 2: being deleted
	changed_at {time} NOT NULL
);
CREATE INDEX pictures_unused ON pictures (state, changed_at);
