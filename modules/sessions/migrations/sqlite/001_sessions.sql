CREATE TABLE sessions (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	hash TEXT NOT NULL, -- SHA-256 of the secret in the cookie
	agent TEXT NOT NULL, -- the browser's User-Agent
	created_at INTEGER NOT NULL, -- Unix seconds, like all times here
	used_at INTEGER NOT NULL, -- some minutes late
	ends_at INTEGER NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, id);
CREATE INDEX sessions_realm ON sessions (realm_id, id);
CREATE INDEX sessions_ends ON sessions (ends_at);
-- Tokens by which desktop apps begin a session after a login in a browser.
CREATE TABLE login_tokens (
	hash TEXT NOT NULL PRIMARY KEY,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	next TEXT NOT NULL, -- where the app goes on
	ends_at INTEGER NOT NULL -- Unix milliseconds
);
CREATE INDEX login_tokens_realm ON login_tokens (realm_id);
CREATE INDEX login_tokens_ends ON login_tokens (ends_at);
