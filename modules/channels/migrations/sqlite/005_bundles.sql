CREATE TABLE channel_bundles (
	id INTEGER PRIMARY KEY AUTOINCREMENT, -- default channel groups
	realm_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	description TEXT NOT NULL
);
CREATE INDEX channel_bundles_realm ON channel_bundles (realm_id);

CREATE TABLE channel_bundle_members (
	bundle_id INTEGER NOT NULL,
	channel_id INTEGER NOT NULL,
	realm_id INTEGER NOT NULL,
	PRIMARY KEY (bundle_id, channel_id)
);
CREATE INDEX channel_bundle_members_realm ON channel_bundle_members (realm_id, channel_id);
