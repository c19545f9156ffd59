-- expand: adds a column with a default, and an index; locks user_statuses while it is built.
ALTER TABLE user_statuses ADD COLUMN ends_at {int} NOT NULL DEFAULT 0; -- Unix seconds; 0: never
CREATE INDEX user_statuses_ends ON user_statuses (ends_at) WHERE ends_at > 0;
