ALTER TABLE user_statuses ADD COLUMN ends_at bigint NOT NULL DEFAULT 0; -- in seconds since 1970; 0: does not end
CREATE INDEX user_statuses_ends ON user_statuses (ends_at) WHERE ends_at > 0;
