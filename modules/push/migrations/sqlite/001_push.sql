-- Devices that people registered for encrypted push notifications.
CREATE TABLE push_devices (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	key_id INTEGER NOT NULL, -- 0 without a key
	key TEXT NOT NULL, -- sealed with the server's secret; empty: none yet
	url TEXT NOT NULL, -- where the client reached the realm when it last registered
	token_id TEXT NOT NULL, -- in use; empty: none
	token_kind TEXT NOT NULL,
	pending_id TEXT NOT NULL, -- not yet accepted by the push service; empty: none
	pending_kind TEXT NOT NULL,
	token_updated_at TEXT, -- when pending_id was last set
	error TEXT NOT NULL -- why the push service refused pending_id; empty: it did not
);
CREATE INDEX push_devices_user ON push_devices (user_id);
CREATE INDEX push_devices_realm ON push_devices (realm_id);
CREATE INDEX push_devices_token ON push_devices (token_id) WHERE token_id <> '';

-- Tokens that wait to be forwarded to the push service.
CREATE TABLE push_registrations (
	device_id INTEGER PRIMARY KEY,
	realm_id INTEGER NOT NULL,
	token_id TEXT NOT NULL,
	bouncer_key TEXT NOT NULL,
	sealed TEXT NOT NULL, -- only the push service can open it
	tries INTEGER NOT NULL,
	due_at TEXT NOT NULL,
	created_at TEXT NOT NULL
);
CREATE INDEX push_registrations_due ON push_registrations (due_at);
CREATE INDEX push_registrations_realm ON push_registrations (realm_id);

-- Tokens of older clients, for notifications without end-to-end encryption.
CREATE TABLE push_tokens (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	kind TEXT NOT NULL, -- fcm or apns
	token TEXT NOT NULL,
	token_id TEXT NOT NULL,
	app_id TEXT NOT NULL, -- of apns
	UNIQUE (user_id, kind, token)
);
CREATE INDEX push_tokens_realm ON push_tokens (realm_id);
