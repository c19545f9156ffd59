CREATE TABLE attachments (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	owner_id INTEGER NOT NULL,
	path_id TEXT NOT NULL UNIQUE, -- the address after /user_uploads/
	name TEXT NOT NULL, -- as the owner called it
	size INTEGER NOT NULL, -- bytes
	content_type TEXT NOT NULL,
	blob_key TEXT NOT NULL,
	created_at TEXT NOT NULL,
	unused_until TEXT, -- removed then unless something refers to it; NULL: a message does
	width INTEGER, -- pixels as shown; NULL: no image whose header was readable
	height INTEGER,
	animated BOOLEAN,
	thumbnail INTEGER, -- upload.ThumbnailState
	transcoded TEXT -- name of the form that browsers can show
);
CREATE INDEX attachments_owner ON attachments (owner_id, id);
CREATE INDEX attachments_realm ON attachments (realm_id, id);
CREATE INDEX attachments_unused ON attachments (unused_until) WHERE unused_until IS NOT NULL;
CREATE TABLE attachment_messages (
	attachment_id INTEGER NOT NULL,
	message_id INTEGER NOT NULL,
	realm_id INTEGER NOT NULL,
	PRIMARY KEY (attachment_id, message_id)
);
CREATE INDEX attachment_messages_message ON attachment_messages (message_id);
CREATE INDEX attachment_messages_realm ON attachment_messages (realm_id);
CREATE TABLE upload_blobs ( -- keys that no attachment names: being written, or to be removed
	key TEXT PRIMARY KEY,
	realm_id INTEGER NOT NULL,
	remove_at TEXT NOT NULL,
	removing BOOLEAN NOT NULL -- too late to use it
);
CREATE INDEX upload_blobs_remove ON upload_blobs (remove_at);
CREATE TABLE upload_space (
	realm_id INTEGER PRIMARY KEY,
	bytes INTEGER NOT NULL -- of all attachments of the realm
);
CREATE TABLE upload_secret (
	id INTEGER PRIMARY KEY, -- 1
	secret TEXT NOT NULL -- sealed; signs temporary addresses
);
