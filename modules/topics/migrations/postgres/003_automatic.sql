-- acquired by taking part in the topic, not set by the user or acquired by a mention; unknown for older policies
ALTER TABLE user_topics ADD COLUMN automatic BOOLEAN NOT NULL DEFAULT TRUE;
