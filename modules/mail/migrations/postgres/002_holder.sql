-- An email belongs to a node while it works on it, and is due when that has died. Those claimed so far are due.
ALTER TABLE mail_queue ADD COLUMN holder text NOT NULL DEFAULT '';
CREATE INDEX mail_queue_holder ON mail_queue (holder) WHERE holder <> '';
UPDATE mail_queue SET due_at = '2000-01-01 00:00:00+00:00' WHERE tries = 1;
