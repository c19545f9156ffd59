-- Formerly 005_bundles.
-- expand: adds tables; locks none in use.
CREATE TABLE channel_bundles (
	id {id}, -- default channel groups
	realm_id {int} NOT NULL,
	name text NOT NULL,
	description text NOT NULL
);
CREATE INDEX channel_bundles_realm ON channel_bundles (realm_id);

CREATE TABLE channel_bundle_members (
	bundle_id {int} NOT NULL,
	channel_id {int} NOT NULL,
	realm_id {int} NOT NULL,
	PRIMARY KEY (bundle_id, channel_id)
);
CREATE INDEX channel_bundle_members_realm ON channel_bundle_members (realm_id, channel_id);
