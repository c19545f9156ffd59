-- When people's notifications are silenced; without a row, never.
CREATE TABLE quiet_hours (
	user_id INTEGER PRIMARY KEY NOT NULL,
	realm_id INTEGER NOT NULL,
	paused_until INTEGER NOT NULL, -- in seconds since 1970; 0: not paused
	schedule TEXT NOT NULL -- JSON; empty: none
);
CREATE INDEX quiet_hours_realm ON quiet_hours (realm_id);
