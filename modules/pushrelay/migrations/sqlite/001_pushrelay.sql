-- Key pairs that devices seal their tokens for. One is in use; the others still open registrations for a time.
CREATE TABLE push_relay_keys (
	public_key TEXT PRIMARY KEY, -- base64
	private_key TEXT NOT NULL, -- sealed with the server's secret
	created_at TEXT NOT NULL,
	retired_at TEXT
);

-- Servers that may use the relay.
CREATE TABLE push_relay_servers (
	id TEXT PRIMARY KEY,
	name TEXT NOT NULL,
	key_hash TEXT NOT NULL,
	registrations INTEGER NOT NULL, -- per day; 0: as configured
	notifications INTEGER NOT NULL, -- per minute; 0: as configured
	created_at TEXT NOT NULL,
	removed_at TEXT
);
CREATE UNIQUE INDEX push_relay_servers_name ON push_relay_servers (name) WHERE removed_at IS NULL;

-- Organizations of these servers.
CREATE TABLE push_relay_realms (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	server_id TEXT NOT NULL,
	uuid TEXT NOT NULL,
	created_at TEXT NOT NULL,
	UNIQUE (server_id, uuid)
);

-- Devices that are registered for these organizations.
CREATE TABLE push_relay_tokens (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	remote_id INTEGER NOT NULL, -- of push_relay_realms
	token_id TEXT NOT NULL,
	kind TEXT NOT NULL, -- fcm, apns or web
	app_id TEXT NOT NULL, -- of apns
	token TEXT NOT NULL, -- sealed with the server's secret
	registered_at TEXT NOT NULL,
	used_at TEXT NOT NULL, -- up to a day late
	UNIQUE (remote_id, token_id)
);
CREATE INDEX push_relay_tokens_used ON push_relay_tokens (used_at);
