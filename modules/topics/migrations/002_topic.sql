CREATE INDEX user_topics_topic ON user_topics (channel_id, topic_key);
