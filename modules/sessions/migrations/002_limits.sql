-- expand: adds a column with a default to each of two tables; locks sessions and login_tokens for a moment.
ALTER TABLE sessions ADD COLUMN limit_at {int} NOT NULL DEFAULT 0; -- Unix seconds; 0: none
ALTER TABLE login_tokens ADD COLUMN limit_at {int} NOT NULL DEFAULT 0; -- of the session
