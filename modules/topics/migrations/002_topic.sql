-- expand: adds an index; blocks changes of user_topics while it is built.
CREATE INDEX user_topics_topic ON user_topics (channel_id, topic_key);
