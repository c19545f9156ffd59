-- What people say that they are doing; without a row, nothing.
CREATE TABLE user_statuses (
	user_id bigint PRIMARY KEY,
	realm_id bigint NOT NULL,
	text text NOT NULL,
	emoji_name text NOT NULL, -- empty: no emoji, and so are the two that follow
	emoji_code text NOT NULL,
	emoji_type text NOT NULL
);
CREATE INDEX user_statuses_realm ON user_statuses (realm_id);
