-- expand: adds tables; locks none in use.
CREATE TABLE resumable_uploads (
	path_id text PRIMARY KEY,
	realm_id {int} NOT NULL,
	owner_id {int} NOT NULL,
	key text NOT NULL, -- key of the first part's blob
	name text NOT NULL,
	content_type text NOT NULL,
	size {int} NOT NULL, -- bytes of the complete file
	received {int} NOT NULL, -- bytes
	parts {int} NOT NULL,
	done boolean NOT NULL, -- whether it has become an attachment
	expires_at {time} NOT NULL,
	lock_token text NOT NULL, -- of the writing request; empty: none
	locked_until {time}
);
CREATE INDEX resumable_uploads_expiry ON resumable_uploads (expires_at);
CREATE INDEX resumable_uploads_owner ON resumable_uploads (realm_id, owner_id);
CREATE TABLE resumable_parts (
	path_id text NOT NULL,
	number {int} NOT NULL, -- from 0
	realm_id {int} NOT NULL,
	key text NOT NULL, -- of the blob
	size {int} NOT NULL, -- bytes
	PRIMARY KEY (path_id, number)
);
CREATE INDEX resumable_parts_realm ON resumable_parts (realm_id);
