-- A message belongs to a node while it works on it, and is due when that has died. Those claimed so far are due.
ALTER TABLE preview_queue ADD COLUMN holder TEXT NOT NULL DEFAULT '';
CREATE INDEX preview_queue_holder ON preview_queue (holder) WHERE holder <> '';
UPDATE preview_queue SET due_at = '2000-01-01 00:00:00+00:00' WHERE tries > 0;
