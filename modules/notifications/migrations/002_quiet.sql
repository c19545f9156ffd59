-- expand: adds a table; locks none in use.
-- When users' notifications are silenced. No row: never.
CREATE TABLE quiet_hours (
	user_id {int} PRIMARY KEY,
	realm_id {int} NOT NULL,
	paused_until {int} NOT NULL, -- Unix seconds; 0: not paused
	schedule text NOT NULL -- JSON; empty: no schedule
);
CREATE INDEX quiet_hours_realm ON quiet_hours (realm_id);
