CREATE TABLE resumable_uploads (
	path_id TEXT PRIMARY KEY,
	realm_id INTEGER NOT NULL,
	owner_id INTEGER NOT NULL,
	key TEXT NOT NULL, -- of the blob of the first part
	name TEXT NOT NULL,
	content_type TEXT NOT NULL,
	size INTEGER NOT NULL, -- bytes when it is complete
	received INTEGER NOT NULL, -- bytes
	parts INTEGER NOT NULL,
	done BOOLEAN NOT NULL, -- it has become an attachment
	expires_at TEXT NOT NULL,
	lock_token TEXT NOT NULL, -- of the request that writes; empty: none
	locked_until TEXT
);
CREATE INDEX resumable_uploads_expiry ON resumable_uploads (expires_at);
CREATE INDEX resumable_uploads_owner ON resumable_uploads (realm_id, owner_id);
CREATE TABLE resumable_parts (
	path_id TEXT NOT NULL,
	number INTEGER NOT NULL, -- from 0
	realm_id INTEGER NOT NULL,
	key TEXT NOT NULL, -- of the blob
	size INTEGER NOT NULL, -- bytes
	PRIMARY KEY (path_id, number)
);
CREATE INDEX resumable_parts_realm ON resumable_parts (realm_id);
