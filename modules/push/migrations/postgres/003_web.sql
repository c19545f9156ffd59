-- Devices that are notified by Web Push, without a push service of apps.
ALTER TABLE push_devices ADD COLUMN subscription text NOT NULL DEFAULT ''; -- sealed; empty: another kind of device
ALTER TABLE push_devices ADD COLUMN withdraws boolean NOT NULL DEFAULT false; -- takes notifications that only withdraw others
ALTER TABLE push_devices ADD COLUMN failures bigint NOT NULL DEFAULT 0; -- since it was last reached
ALTER TABLE push_devices ADD COLUMN retry_at timestamptz; -- when to try again, if there are failures

-- Notifications that Web Push did not take, by device.
CREATE TABLE push_repeats (
	device_id bigint NOT NULL,
	message_id bigint NOT NULL,
	realm_id bigint NOT NULL,
	withdraw boolean NOT NULL, -- it withdraws the notification of the message
	created_at timestamptz NOT NULL,
	PRIMARY KEY (device_id, message_id)
);
CREATE INDEX push_repeats_created ON push_repeats (created_at);
CREATE INDEX push_repeats_realm ON push_repeats (realm_id);

-- What the server's VAPID key is derived from.
CREATE TABLE push_secret (
	id bigint PRIMARY KEY, -- 1
	secret text NOT NULL -- sealed
);
