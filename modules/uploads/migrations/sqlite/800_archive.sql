-- Files whose last message was deleted. Nobody can read them any more; they are kept as long as the message is in the
-- archive. Files that lost their last message before this migration are removed at the time set then.
CREATE TABLE attachment_archive (
	id INTEGER PRIMARY KEY, -- and the following columns: as in attachments
	realm_id INTEGER NOT NULL,
	owner_id INTEGER NOT NULL,
	path_id TEXT NOT NULL,
	name TEXT NOT NULL,
	size INTEGER NOT NULL,
	content_type TEXT NOT NULL,
	blob_key TEXT NOT NULL,
	created_at TEXT NOT NULL,
	width INTEGER,
	height INTEGER,
	animated BOOLEAN,
	thumbnail INTEGER,
	transcoded TEXT,
	kept_until TEXT NOT NULL
);
CREATE INDEX attachment_archive_realm ON attachment_archive (realm_id);
CREATE INDEX attachment_archive_owner ON attachment_archive (owner_id);
CREATE INDEX attachment_archive_key ON attachment_archive (blob_key);
CREATE INDEX attachment_archive_kept ON attachment_archive (kept_until, id);
ALTER TABLE upload_space ADD COLUMN archived INTEGER NOT NULL DEFAULT 0; -- bytes in attachment_archive
