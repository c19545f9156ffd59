-- contract, required: moves a table; locks it for a moment.
-- The table now belongs to the module accounts, whose migration may run later.
CREATE TABLE IF NOT EXISTS waiting_periods (
	realm_id {int} PRIMARY KEY,
	upto {time} NOT NULL,
	due {time}
);
INSERT INTO waiting_periods (realm_id, upto, due)
	SELECT realm_id, upto, due FROM channel_waiting_periods WHERE true
	ON CONFLICT (realm_id) DO NOTHING;
DROP TABLE channel_waiting_periods;
