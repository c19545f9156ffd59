-- expand: adds a column with a default, and an index; locks upload_thumbnails while it is built.
-- The owners of images. Thumbnails are made for one owner after the other.
ALTER TABLE upload_thumbnails ADD COLUMN owner_id {int} NOT NULL DEFAULT 0;
UPDATE upload_thumbnails SET owner_id = COALESCE(
	(SELECT owner_id FROM attachments WHERE attachments.id = upload_thumbnails.attachment_id), 0);
CREATE INDEX upload_thumbnails_turns ON upload_thumbnails (owner_id, due_at, attachment_id);
