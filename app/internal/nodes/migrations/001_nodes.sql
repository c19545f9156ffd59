-- expand: adds a table; locks none in use.
-- The running processes that use the database.
CREATE TABLE nodes (
	id text PRIMARY KEY, -- random for each start; the holder in leases
	kind text NOT NULL, -- serve, or the name of a command
	version text NOT NULL,
	schema text NOT NULL, -- the migrations that break others, of those that the process knows
	host text NOT NULL,
	pid {int} NOT NULL,
	beat {int} NOT NULL, -- the number of renewals; if it stops increasing, another node deletes the row
	started_at {time} NOT NULL,
	renewed_at {time} NOT NULL -- by the node's own clock, only shown
);
