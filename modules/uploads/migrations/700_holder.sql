-- contract, required: replaces a column; locks resumable_uploads and upload_thumbnails for a moment.
-- The node that makes a thumbnail holds it; if that node dies, it is due again. So are all those claimed so far.
ALTER TABLE upload_thumbnails ADD COLUMN holder text NOT NULL DEFAULT '';
CREATE INDEX upload_thumbnails_holder ON upload_thumbnails (holder) WHERE holder <> '';
UPDATE upload_thumbnails SET due_at = '2000-01-01 00:00:00+00:00' WHERE tries > 0;

-- The lock of a resumable upload names the node of the request.
ALTER TABLE resumable_uploads ADD COLUMN holder text NOT NULL DEFAULT '';
ALTER TABLE resumable_uploads DROP COLUMN locked_until;
