-- The waiting period belongs to the module accounts, which may create the table later.
CREATE TABLE IF NOT EXISTS waiting_periods (
	realm_id bigint PRIMARY KEY,
	upto timestamptz NOT NULL,
	due timestamptz
);
INSERT INTO waiting_periods (realm_id, upto, due)
	SELECT realm_id, upto, due FROM channel_waiting_periods WHERE true
	ON CONFLICT (realm_id) DO NOTHING;
DROP TABLE channel_waiting_periods;
