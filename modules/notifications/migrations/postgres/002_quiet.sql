-- When people's notifications are silenced; without a row, never.
CREATE TABLE quiet_hours (
	user_id bigint PRIMARY KEY,
	realm_id bigint NOT NULL,
	paused_until bigint NOT NULL, -- in seconds since 1970; 0: not paused
	schedule text NOT NULL -- JSON; empty: none
);
CREATE INDEX quiet_hours_realm ON quiet_hours (realm_id);
