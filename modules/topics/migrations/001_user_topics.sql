-- expand: adds a table; locks none in use.
CREATE TABLE user_topics (
	user_id {int} NOT NULL,
	channel_id {int} NOT NULL,
	topic_key text NOT NULL, -- case-folded
	realm_id {int} NOT NULL,
	topic text NOT NULL, -- its name when the policy was set
	policy {int} NOT NULL, -- 1: muted, 2: unmuted, 3: followed
	updated_at {time} NOT NULL,
	PRIMARY KEY (user_id, channel_id, topic_key)
);
