-- expand: adds tables; locks none in use.
CREATE TABLE channels (
	id {id},
	realm_id {int} NOT NULL,
	name text NOT NULL,
	name_key text NOT NULL, -- case-folded, so that names are unique regardless of case
	description text NOT NULL,
	rendered text NOT NULL,
	created_at {time} NOT NULL,
	creator_id {int} NOT NULL, -- 0: unknown
	private boolean NOT NULL,
	web_public boolean NOT NULL,
	history_public boolean NOT NULL,
	retention_days {int}, -- NULL: the realm's; -1: forever
	first_message {int} NOT NULL, -- 0: none
	folder_id {int} NOT NULL, -- 0: none
	topics_policy text NOT NULL,
	archived boolean NOT NULL,
	is_default boolean NOT NULL,
	permissions text NOT NULL -- JSON: group-setting values by wire name
);

CREATE UNIQUE INDEX channels_name ON channels (realm_id, name_key);

CREATE TABLE subscriptions (
	user_id {int} NOT NULL,
	channel_id {int} NOT NULL,
	realm_id {int} NOT NULL,
	active boolean NOT NULL, -- false: unsubscribed, with the settings kept
	color text NOT NULL,
	is_muted boolean NOT NULL,
	pin_to_top boolean NOT NULL,
	desktop_notifications boolean, -- here and below, NULL: the user's general setting
	audible_notifications boolean,
	push_notifications boolean,
	email_notifications boolean,
	wildcard_mentions_notify boolean,
	PRIMARY KEY (user_id, channel_id)
);

CREATE INDEX subscriptions_realm ON subscriptions (realm_id, channel_id, user_id) WHERE active;
