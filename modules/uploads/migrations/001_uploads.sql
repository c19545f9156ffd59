-- expand: adds tables; locks none in use.
CREATE TABLE attachments (
	id {id},
	realm_id {int} NOT NULL,
	owner_id {int} NOT NULL,
	path_id text NOT NULL UNIQUE, -- the URL after /user_uploads/
	name text NOT NULL, -- the owner's name for the file
	size {int} NOT NULL, -- bytes
	content_type text NOT NULL,
	blob_key text NOT NULL,
	created_at {time} NOT NULL,
	unused_until {time}, -- when it is deleted if still unreferenced; NULL: a message references it
	width {int}, -- displayed pixels; NULL: not a readable image
	height {int},
	animated boolean,
	thumbnail {int}, -- upload.ThumbnailState
	transcoded text -- name of a version that browsers can show
);
CREATE INDEX attachments_owner ON attachments (owner_id, id);
CREATE INDEX attachments_realm ON attachments (realm_id, id);
CREATE INDEX attachments_unused ON attachments (unused_until) WHERE unused_until IS NOT NULL;
CREATE TABLE attachment_messages (
	attachment_id {int} NOT NULL,
	message_id {int} NOT NULL,
	realm_id {int} NOT NULL,
	PRIMARY KEY (attachment_id, message_id)
);
CREATE INDEX attachment_messages_message ON attachment_messages (message_id);
CREATE INDEX attachment_messages_realm ON attachment_messages (realm_id);
CREATE TABLE upload_blobs ( -- keys without an attachment: being written, or to be deleted
	key text PRIMARY KEY,
	realm_id {int} NOT NULL,
	remove_at {time} NOT NULL,
	removing boolean NOT NULL -- an attachment can no longer use it
);
CREATE INDEX upload_blobs_remove ON upload_blobs (remove_at);
CREATE TABLE upload_space (
	realm_id {int} PRIMARY KEY,
	bytes {int} NOT NULL -- total size of the realm's attachments
);
CREATE TABLE upload_secret (
	id {int} PRIMARY KEY, -- 1
	secret text NOT NULL -- sealed; signs temporary URLs
);
