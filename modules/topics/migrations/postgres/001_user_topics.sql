CREATE TABLE user_topics (
	user_id bigint NOT NULL,
	channel_id bigint NOT NULL,
	topic_key text NOT NULL, -- folded
	realm_id bigint NOT NULL,
	topic text NOT NULL, -- as it was named when the policy was set
	policy bigint NOT NULL, -- 1 muted, 2 unmuted, 3 followed; no row: none
	updated_at timestamptz NOT NULL,
	PRIMARY KEY (user_id, channel_id, topic_key)
);
