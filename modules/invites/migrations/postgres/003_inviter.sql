-- To whose share of the daily limits the row counts: the inviter. 0: no one, or not known.
ALTER TABLE invite_mails ADD COLUMN user_id BIGINT NOT NULL DEFAULT 0;
