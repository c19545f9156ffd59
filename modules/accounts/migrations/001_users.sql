-- expand: adds tables; locks none in use.
CREATE TABLE users (
	id {id},
	realm_id {int} NOT NULL,
	delivery_email text NOT NULL,
	email_key text NOT NULL, -- case-folded, so that addresses are unique regardless of case
	full_name text NOT NULL,
	role {int} NOT NULL,
	active boolean NOT NULL,
	bot_type {int} NOT NULL, -- 0: human
	bot_owner {int} NOT NULL, -- 0: none
	system boolean NOT NULL, -- a system bot of the server
	joined_at {time} NOT NULL,
	avatar_source text NOT NULL,
	avatar_version {int} NOT NULL,
	settings text NOT NULL -- JSON by wire name; missing settings have their default
);

CREATE UNIQUE INDEX users_email ON users (realm_id, email_key);

CREATE TABLE user_passwords (
	user_id {int} PRIMARY KEY,
	hash text NOT NULL
);

CREATE TABLE api_keys (
	hash text NOT NULL PRIMARY KEY,
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	created_at {time} NOT NULL
);

CREATE INDEX api_keys_user ON api_keys (user_id);
CREATE INDEX api_keys_realm ON api_keys (realm_id);
