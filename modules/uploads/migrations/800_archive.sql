-- expand: adds a table, and a column with a default; locks upload_space for a moment.
-- Files whose last message was deleted. Nobody can read them any more; they are kept as long as the message is in the
-- archive. Files that lost their last message before this migration are removed at the time set then.
CREATE TABLE attachment_archive (
	id {int} PRIMARY KEY, -- and the following columns: as in attachments
	realm_id {int} NOT NULL,
	owner_id {int} NOT NULL,
	path_id text NOT NULL,
	name text NOT NULL,
	size {int} NOT NULL,
	content_type text NOT NULL,
	blob_key text NOT NULL,
	created_at {time} NOT NULL,
	width {int},
	height {int},
	animated boolean,
	thumbnail {int},
	transcoded text,
	kept_until {time} NOT NULL
);
CREATE INDEX attachment_archive_realm ON attachment_archive (realm_id);
CREATE INDEX attachment_archive_owner ON attachment_archive (owner_id);
CREATE INDEX attachment_archive_key ON attachment_archive (blob_key {bytewise});
CREATE INDEX attachment_archive_kept ON attachment_archive (kept_until, id);
ALTER TABLE upload_space ADD COLUMN archived {int} NOT NULL DEFAULT 0; -- bytes in attachment_archive
