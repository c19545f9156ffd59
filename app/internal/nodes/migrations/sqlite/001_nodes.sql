-- The processes that use the database, except those that have ended.
CREATE TABLE nodes (
	id TEXT PRIMARY KEY, -- random for each start; leases name it as their holder
	kind TEXT NOT NULL, -- serve, or the name of a command
	version TEXT NOT NULL,
	schema TEXT NOT NULL, -- a hash of the names of the migrations that the process knows
	host TEXT NOT NULL,
	pid INTEGER NOT NULL,
	beat INTEGER NOT NULL, -- the number of renewals; a node whose beat stops is removed by another one
	started_at TEXT NOT NULL,
	renewed_at TEXT NOT NULL -- by the node's own clock, for people
);
