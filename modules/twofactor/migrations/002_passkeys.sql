-- expand: adds tables; locks none in use.
CREATE TABLE passkeys (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	credential text NOT NULL, -- the ID that the device chose, base64url
	record text NOT NULL, -- JSON: public key, signature counter, transports, flags
	name text NOT NULL,
	created_at {int} NOT NULL,
	used_at {int} NOT NULL
);
CREATE UNIQUE INDEX passkeys_credential ON passkeys (realm_id, credential);
CREATE INDEX passkeys_user ON passkeys (user_id);

-- What devices know a user by; random, so that it says nothing about them.
CREATE TABLE passkey_users (
	user_id {int} NOT NULL PRIMARY KEY,
	realm_id {int} NOT NULL,
	handle text NOT NULL -- base64url
);
CREATE UNIQUE INDEX passkey_users_handle ON passkey_users (realm_id, handle);
