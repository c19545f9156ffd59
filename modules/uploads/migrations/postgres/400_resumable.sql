CREATE TABLE resumable_uploads (
	path_id text PRIMARY KEY,
	realm_id bigint NOT NULL,
	owner_id bigint NOT NULL,
	key text NOT NULL, -- of the blob of the first part
	name text NOT NULL,
	content_type text NOT NULL,
	size bigint NOT NULL, -- bytes when it is complete
	received bigint NOT NULL, -- bytes
	parts bigint NOT NULL,
	done boolean NOT NULL, -- it has become an attachment
	expires_at timestamptz NOT NULL,
	lock_token text NOT NULL, -- of the request that writes; empty: none
	locked_until timestamptz
);
CREATE INDEX resumable_uploads_expiry ON resumable_uploads (expires_at);
CREATE INDEX resumable_uploads_owner ON resumable_uploads (realm_id, owner_id);
CREATE TABLE resumable_parts (
	path_id text NOT NULL,
	number bigint NOT NULL, -- from 0
	realm_id bigint NOT NULL,
	key text NOT NULL, -- of the blob
	size bigint NOT NULL, -- bytes
	PRIMARY KEY (path_id, number)
);
CREATE INDEX resumable_parts_realm ON resumable_parts (realm_id);
