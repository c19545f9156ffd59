-- contract, required: earlier versions would claim rows without holding them; locks mail_queue for a moment.
-- The node that sends an email holds it; if that node dies, the email is due again. So are all those claimed so far.
ALTER TABLE mail_queue ADD COLUMN holder text NOT NULL DEFAULT '';
CREATE INDEX mail_queue_holder ON mail_queue (holder) WHERE holder <> '';
UPDATE mail_queue SET due_at = '2000-01-01 00:00:00+00:00' WHERE tries = 1;
