-- The table may exist already: a migration of the module channels moves rows into it.
CREATE TABLE IF NOT EXISTS waiting_periods (
	realm_id bigint PRIMARY KEY, -- only of realms with a waiting period
	upto timestamptz NOT NULL, -- new full members have been announced up to this time
	due timestamptz -- when the next member becomes a full member; null: never
);
CREATE INDEX IF NOT EXISTS waiting_periods_due ON waiting_periods (due);
