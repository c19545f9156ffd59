CREATE TABLE custom_emoji (
	id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
	realm_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	source TEXT NOT NULL, -- address of the picture
	still TEXT NOT NULL, -- of one that does not move, for one that does
	author_id INTEGER NOT NULL,
	deactivated BOOLEAN NOT NULL
);
CREATE INDEX custom_emoji_realm ON custom_emoji (realm_id);
CREATE UNIQUE INDEX custom_emoji_names ON custom_emoji (realm_id, name) WHERE NOT deactivated;
