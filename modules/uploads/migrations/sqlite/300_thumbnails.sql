CREATE TABLE upload_thumbnails ( -- images whose thumbnails are to be made or shown
	attachment_id INTEGER PRIMARY KEY,
	realm_id INTEGER NOT NULL,
	due_at TEXT NOT NULL,
	tries INTEGER NOT NULL,
	shown BOOLEAN NOT NULL -- messages have been rendered again once
);
CREATE INDEX upload_thumbnails_due ON upload_thumbnails (due_at, attachment_id);
CREATE INDEX upload_thumbnails_realm ON upload_thumbnails (realm_id);
CREATE INDEX attachments_key ON attachments (blob_key);
