-- contract, required: earlier versions do not maintain the copy; locks subscriptions while it is made.
-- The subscriptions of each user in one row, because a starting node reads those of all users.
CREATE TABLE subscribed_channels (
	user_id {int} PRIMARY KEY,
	realm_id {int} NOT NULL,
	channels text NOT NULL -- IDs of the subscribed channels, separated by commas
);
INSERT INTO subscribed_channels (user_id, realm_id, channels)
	SELECT user_id, realm_id, coalesce(string_agg(CASE WHEN active THEN CAST(channel_id AS text) END, ','), '')
	FROM subscriptions GROUP BY user_id, realm_id;
CREATE INDEX subscribed_channels_realm ON subscribed_channels (realm_id);
DROP INDEX subscriptions_realm;
