-- Devices that are notified by Web Push, without a push service of apps.
ALTER TABLE push_devices ADD COLUMN subscription TEXT NOT NULL DEFAULT ''; -- sealed; empty: another kind of device
ALTER TABLE push_devices ADD COLUMN withdraws BOOLEAN NOT NULL DEFAULT FALSE; -- takes notifications that only withdraw others
ALTER TABLE push_devices ADD COLUMN failures INTEGER NOT NULL DEFAULT 0; -- since it was last reached
ALTER TABLE push_devices ADD COLUMN retry_at TEXT; -- when to try again, if there are failures

-- Notifications that Web Push did not take, by device.
CREATE TABLE push_repeats (
	device_id INTEGER NOT NULL,
	message_id INTEGER NOT NULL,
	realm_id INTEGER NOT NULL,
	withdraw BOOLEAN NOT NULL, -- it withdraws the notification of the message
	created_at TEXT NOT NULL,
	PRIMARY KEY (device_id, message_id)
);
CREATE INDEX push_repeats_created ON push_repeats (created_at);
CREATE INDEX push_repeats_realm ON push_repeats (realm_id);

-- What the server's VAPID key is derived from.
CREATE TABLE push_secret (
	id INTEGER PRIMARY KEY, -- 1
	secret TEXT NOT NULL -- sealed
);
