-- expand: adds a table and an index; blocks uploads while it is built.
CREATE TABLE upload_thumbnails ( -- images whose thumbnails must be made, or shown in messages
	attachment_id {int} PRIMARY KEY,
	realm_id {int} NOT NULL,
	due_at {time} NOT NULL,
	tries {int} NOT NULL,
	shown boolean NOT NULL -- whether messages were rendered again
);
CREATE INDEX upload_thumbnails_due ON upload_thumbnails (due_at, attachment_id);
CREATE INDEX upload_thumbnails_realm ON upload_thumbnails (realm_id);
CREATE INDEX attachments_key ON attachments (blob_key {bytewise});
