CREATE TABLE realms (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	string_id TEXT NOT NULL, -- the subdomain; '' for the root realm
	uuid TEXT NOT NULL,
	mail_domain TEXT NOT NULL,
	created_at TEXT NOT NULL,
	deactivated BOOLEAN NOT NULL,
	settings TEXT NOT NULL -- JSON, by wire name
);

CREATE UNIQUE INDEX realms_string_id ON realms (string_id);
