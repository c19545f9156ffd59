CREATE TABLE channel_folders (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	description TEXT NOT NULL,
	rendered TEXT NOT NULL, -- description, as HTML
	position INTEGER NOT NULL, -- among all of the realm, from 0
	creator_id INTEGER NOT NULL, -- 0: the server
	created_at TEXT NOT NULL,
	archived BOOLEAN NOT NULL
);
CREATE INDEX channel_folders_realm ON channel_folders (realm_id, position);
