CREATE TABLE exports (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL, -- who asked for it
	type TEXT NOT NULL,
	url TEXT NOT NULL, -- where they reached the realm
	token TEXT NOT NULL, -- the unguessable part of its address
	state INTEGER NOT NULL, -- export.State
	requested_at TEXT NOT NULL,
	ended_at TEXT, -- completed or failed
	deleted_at TEXT,
	parts INTEGER NOT NULL, -- complete ones
	bytes INTEGER NOT NULL, -- of these
	position TEXT NOT NULL, -- JSON: where the next part begins
	tries INTEGER NOT NULL, -- to write the next part
	due_at TEXT NOT NULL -- not before
);
CREATE INDEX exports_realm ON exports (realm_id, id);
CREATE INDEX exports_due ON exports (due_at, id) WHERE state = 0;
CREATE INDEX exports_complete ON exports (ended_at) WHERE state = 1;
CREATE TABLE export_parts ( -- blobs; noted before they are written
	key TEXT PRIMARY KEY,
	export_id INTEGER NOT NULL,
	number INTEGER NOT NULL, -- from 0
	realm_id INTEGER NOT NULL,
	size INTEGER, -- bytes; NULL: not complete
	doomed BOOLEAN NOT NULL -- to be removed
);
CREATE INDEX export_parts_export ON export_parts (export_id, number);
CREATE INDEX export_parts_realm ON export_parts (realm_id);
CREATE INDEX export_parts_doomed ON export_parts (key) WHERE doomed;
