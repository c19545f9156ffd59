CREATE TABLE users (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	delivery_email TEXT NOT NULL,
	email_key TEXT NOT NULL, -- folded: addresses are unique in any case
	full_name TEXT NOT NULL,
	role INTEGER NOT NULL,
	active BOOLEAN NOT NULL,
	bot_type INTEGER NOT NULL, -- 0: human
	bot_owner INTEGER NOT NULL, -- 0: none
	system BOOLEAN NOT NULL, -- one of the server's own bots
	joined_at TEXT NOT NULL,
	avatar_source TEXT NOT NULL,
	avatar_version INTEGER NOT NULL,
	settings TEXT NOT NULL -- JSON, by wire name; what is not there is as the defaults are
);

CREATE UNIQUE INDEX users_email ON users (realm_id, email_key);

CREATE TABLE user_passwords (
	user_id INTEGER PRIMARY KEY,
	hash TEXT NOT NULL
);

CREATE TABLE api_keys (
	hash TEXT NOT NULL PRIMARY KEY,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	created_at TEXT NOT NULL
);

CREATE INDEX api_keys_user ON api_keys (user_id);
CREATE INDEX api_keys_realm ON api_keys (realm_id);
