CREATE TABLE upload_thumbnails ( -- images whose thumbnails are to be made or shown
	attachment_id bigint PRIMARY KEY,
	realm_id bigint NOT NULL,
	due_at timestamptz NOT NULL,
	tries bigint NOT NULL,
	shown boolean NOT NULL -- messages have been rendered again once
);
CREATE INDEX upload_thumbnails_due ON upload_thumbnails (due_at, attachment_id);
CREATE INDEX upload_thumbnails_realm ON upload_thumbnails (realm_id);
CREATE INDEX attachments_key ON attachments (blob_key COLLATE "C");
