CREATE TABLE user_topics (
	user_id INTEGER NOT NULL,
	channel_id INTEGER NOT NULL,
	topic_key TEXT NOT NULL, -- folded
	realm_id INTEGER NOT NULL,
	topic TEXT NOT NULL, -- as it was named when the policy was set
	policy INTEGER NOT NULL, -- 1 muted, 2 unmuted, 3 followed; no row: none
	updated_at TEXT NOT NULL,
	PRIMARY KEY (user_id, channel_id, topic_key)
);
