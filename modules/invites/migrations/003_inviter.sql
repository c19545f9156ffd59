-- expand: adds a column with a default; locks invite_mails for a moment.
-- The user whose daily limit the row counts against. 0: no user, or unknown.
ALTER TABLE invite_mails ADD COLUMN user_id {int} NOT NULL DEFAULT 0;
