-- expand: adds tables; locks none in use.
-- Key pairs to which devices seal their tokens. Retired keys still open registrations for a while.
CREATE TABLE push_relay_keys (
	public_key text PRIMARY KEY, -- base64
	private_key text NOT NULL, -- sealed with the server's secret
	created_at {time} NOT NULL,
	retired_at {time}
);

-- Servers that may use the relay.
CREATE TABLE push_relay_servers (
	id text PRIMARY KEY,
	name text NOT NULL,
	key_hash text NOT NULL,
	registrations {int} NOT NULL, -- limit per day; 0: the configured one
	notifications {int} NOT NULL, -- limit per minute; 0: the configured one
	created_at {time} NOT NULL,
	removed_at {time}
);
CREATE UNIQUE INDEX push_relay_servers_name ON push_relay_servers (name) WHERE removed_at IS NULL;

-- Realms of these servers.
CREATE TABLE push_relay_realms (
	id {id},
	server_id text NOT NULL,
	uuid text NOT NULL,
	created_at {time} NOT NULL,
	UNIQUE (server_id, uuid)
);

-- Devices registered for these realms.
CREATE TABLE push_relay_tokens (
	id {id},
	remote_id {int} NOT NULL, -- references push_relay_realms
	token_id text NOT NULL,
	kind text NOT NULL, -- fcm, apns or web
	app_id text NOT NULL, -- only for apns
	token text NOT NULL, -- sealed with the server's secret
	registered_at {time} NOT NULL,
	used_at {time} NOT NULL, -- accurate to a day
	UNIQUE (remote_id, token_id)
);
CREATE INDEX push_relay_tokens_used ON push_relay_tokens (used_at);
