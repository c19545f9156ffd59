-- What people say that they are doing; without a row, nothing.
CREATE TABLE user_statuses (
	user_id INTEGER PRIMARY KEY NOT NULL,
	realm_id INTEGER NOT NULL,
	text TEXT NOT NULL,
	emoji_name TEXT NOT NULL, -- empty: no emoji, and so are the two that follow
	emoji_code TEXT NOT NULL,
	emoji_type TEXT NOT NULL
);
CREATE INDEX user_statuses_realm ON user_statuses (realm_id);
