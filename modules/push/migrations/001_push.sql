-- expand: adds tables; locks none in use.
-- Devices registered for encrypted push notifications.
CREATE TABLE push_devices (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	key_id {int} NOT NULL, -- 0: no key
	key text NOT NULL, -- sealed with the server's secret; empty: none
	url text NOT NULL, -- the realm's URL in the last registration
	token_id text NOT NULL, -- the current one; empty: none
	token_kind text NOT NULL,
	pending_id text NOT NULL, -- not accepted by the push service yet; empty: none
	pending_kind text NOT NULL,
	token_updated_at {time}, -- when pending_id was set
	error text NOT NULL -- the push service's error for pending_id; empty: none
);
CREATE INDEX push_devices_user ON push_devices (user_id);
CREATE INDEX push_devices_realm ON push_devices (realm_id);
CREATE INDEX push_devices_token ON push_devices (token_id) WHERE token_id <> '';

-- Tokens to be forwarded to the push service.
CREATE TABLE push_registrations (
	device_id {int} PRIMARY KEY,
	realm_id {int} NOT NULL,
	token_id text NOT NULL,
	bouncer_key text NOT NULL,
	sealed text NOT NULL, -- sealed for the push service
	tries {int32} NOT NULL,
	due_at {time} NOT NULL,
	created_at {time} NOT NULL
);
CREATE INDEX push_registrations_due ON push_registrations (due_at);
CREATE INDEX push_registrations_realm ON push_registrations (realm_id);

-- Tokens of older clients, for notifications without end-to-end encryption.
CREATE TABLE push_tokens (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	kind text NOT NULL, -- fcm or apns
	token text NOT NULL,
	token_id text NOT NULL,
	app_id text NOT NULL, -- only for apns
	UNIQUE (user_id, kind, token)
);
CREATE INDEX push_tokens_realm ON push_tokens (realm_id);
