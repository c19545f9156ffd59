-- The processes that use the database, except those that have ended.
CREATE TABLE nodes (
	id text PRIMARY KEY, -- random for each start; leases name it as their holder
	kind text NOT NULL, -- serve, or the name of a command
	version text NOT NULL,
	schema text NOT NULL, -- a hash of the names of the migrations that the process knows
	host text NOT NULL,
	pid bigint NOT NULL,
	beat bigint NOT NULL, -- the number of renewals; a node whose beat stops is removed by another one
	started_at timestamptz NOT NULL,
	renewed_at timestamptz NOT NULL -- by the node's own clock, for people
);
