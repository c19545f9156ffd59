-- expand: adds a table; locks none in use.
-- The table may exist already: a migration of the module channels moves rows into it.
CREATE TABLE IF NOT EXISTS waiting_periods (
	realm_id {int} PRIMARY KEY, -- only realms with a waiting period
	upto {time} NOT NULL, -- new full members have been announced up to this time
	due {time} -- when the next member becomes a full member; NULL: never
);
CREATE INDEX IF NOT EXISTS waiting_periods_due ON waiting_periods (due);
