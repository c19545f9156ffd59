-- expand: adds tables; locks none in use.
CREATE TABLE sessions (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	hash text NOT NULL, -- SHA-256 of the secret in the cookie
	agent text NOT NULL, -- the browser's User-Agent
	created_at {int} NOT NULL, -- Unix seconds, like all times here
	used_at {int} NOT NULL, -- accurate to a few minutes
	ends_at {int} NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, id);
CREATE INDEX sessions_realm ON sessions (realm_id, id);
CREATE INDEX sessions_ends ON sessions (ends_at);
-- Tokens with which desktop apps start a session after a login in the browser.
CREATE TABLE login_tokens (
	hash text NOT NULL PRIMARY KEY,
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	next text NOT NULL, -- where the app continues
	ends_at {int} NOT NULL -- Unix milliseconds
);
CREATE INDEX login_tokens_realm ON login_tokens (realm_id);
CREATE INDEX login_tokens_ends ON login_tokens (ends_at);
