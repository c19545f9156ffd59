-- An export belongs to a node while it works on it, and is due when that has died. Those claimed so far are due.
ALTER TABLE exports ADD COLUMN holder TEXT NOT NULL DEFAULT '';
CREATE INDEX exports_holder ON exports (holder) WHERE holder <> '';
UPDATE exports SET due_at = '2000-01-01 00:00:00+00:00' WHERE state = 0;
