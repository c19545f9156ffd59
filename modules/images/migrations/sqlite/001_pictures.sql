CREATE TABLE pictures (
	key TEXT PRIMARY KEY, -- of the blob
	realm_id INTEGER NOT NULL,
	state INTEGER NOT NULL, -- 0 no row names it, 1 one does, 2 it is being removed
	changed_at TEXT NOT NULL
);
CREATE INDEX pictures_unused ON pictures (state, changed_at);
