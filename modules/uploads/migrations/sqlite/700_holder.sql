-- A job belongs to a node while it works on it, and is due when that has died. Those claimed so far are due.
ALTER TABLE upload_thumbnails ADD COLUMN holder TEXT NOT NULL DEFAULT '';
CREATE INDEX upload_thumbnails_holder ON upload_thumbnails (holder) WHERE holder <> '';
UPDATE upload_thumbnails SET due_at = '2000-01-01 00:00:00+00:00' WHERE tries > 0;

-- The lock of a resumable upload belongs to a request of a node.
ALTER TABLE resumable_uploads ADD COLUMN holder TEXT NOT NULL DEFAULT '';
ALTER TABLE resumable_uploads DROP COLUMN locked_until;
