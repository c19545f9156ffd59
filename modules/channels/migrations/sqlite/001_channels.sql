CREATE TABLE channels (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	name_key TEXT NOT NULL, -- folded: names are unique in any case
	description TEXT NOT NULL,
	rendered TEXT NOT NULL,
	created_at TEXT NOT NULL,
	creator_id INTEGER NOT NULL, -- 0: not known
	private BOOLEAN NOT NULL,
	web_public BOOLEAN NOT NULL,
	history_public BOOLEAN NOT NULL,
	retention_days INTEGER, -- null: the realm's; -1: for ever
	first_message INTEGER NOT NULL, -- 0: none
	folder_id INTEGER NOT NULL, -- 0: none
	topics_policy TEXT NOT NULL,
	archived BOOLEAN NOT NULL,
	is_default BOOLEAN NOT NULL,
	permissions TEXT NOT NULL -- JSON: group-setting values by wire name
);

CREATE UNIQUE INDEX channels_name ON channels (realm_id, name_key);

CREATE TABLE subscriptions (
	user_id INTEGER NOT NULL,
	channel_id INTEGER NOT NULL,
	realm_id INTEGER NOT NULL,
	active BOOLEAN NOT NULL, -- false: unsubscribed; what the person had set is kept
	color TEXT NOT NULL,
	is_muted BOOLEAN NOT NULL,
	pin_to_top BOOLEAN NOT NULL,
	desktop_notifications BOOLEAN, -- null: as the person has set in general, also below
	audible_notifications BOOLEAN,
	push_notifications BOOLEAN,
	email_notifications BOOLEAN,
	wildcard_mentions_notify BOOLEAN,
	PRIMARY KEY (user_id, channel_id)
);

CREATE INDEX subscriptions_realm ON subscriptions (realm_id, channel_id, user_id) WHERE active;
