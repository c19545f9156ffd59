-- A registration belongs to a node while it works on it, and is due when that has died. Those claimed so far are due.
ALTER TABLE push_registrations ADD COLUMN holder TEXT NOT NULL DEFAULT '';
CREATE INDEX push_registrations_holder ON push_registrations (holder) WHERE holder <> '';
UPDATE push_registrations SET due_at = '2000-01-01 00:00:00+00:00' WHERE tries > 0;
