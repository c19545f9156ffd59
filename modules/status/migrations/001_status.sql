-- expand: adds a table; locks none in use.
-- Users' statuses. No row: none.
CREATE TABLE user_statuses (
	user_id {int} PRIMARY KEY,
	realm_id {int} NOT NULL,
	text text NOT NULL,
	emoji_name text NOT NULL, -- here and below, empty: no emoji
	emoji_code text NOT NULL,
	emoji_type text NOT NULL
);
CREATE INDEX user_statuses_realm ON user_statuses (realm_id);
