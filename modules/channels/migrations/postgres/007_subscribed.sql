-- What the subscriptions of a person say together, so that a node that starts reads one row for each person.
CREATE TABLE subscribed_channels (
	user_id bigint PRIMARY KEY,
	realm_id bigint NOT NULL,
	channels text NOT NULL -- the ids of active subscriptions, with commas between them
);
INSERT INTO subscribed_channels (user_id, realm_id, channels)
	SELECT user_id, realm_id, coalesce(string_agg(CASE WHEN active THEN CAST(channel_id AS text) END, ','), '')
	FROM subscriptions GROUP BY user_id, realm_id;
CREATE INDEX subscribed_channels_realm ON subscribed_channels (realm_id);
DROP INDEX subscriptions_realm;
