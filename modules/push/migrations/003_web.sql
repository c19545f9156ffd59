-- expand: adds columns with defaults and tables; locks push_devices for a moment.
-- Devices notified by Web Push instead of an app's push service.
ALTER TABLE push_devices ADD COLUMN subscription text NOT NULL DEFAULT ''; -- sealed; empty: not a Web Push device
-- Accepts notifications that only withdraw others.
ALTER TABLE push_devices ADD COLUMN withdraws boolean NOT NULL DEFAULT false;
ALTER TABLE push_devices ADD COLUMN failures {int} NOT NULL DEFAULT 0; -- since the last success
ALTER TABLE push_devices ADD COLUMN retry_at {time}; -- time of the next attempt after a failure

-- Notifications to send again because Web Push failed.
CREATE TABLE push_repeats (
	device_id {int} NOT NULL,
	message_id {int} NOT NULL,
	realm_id {int} NOT NULL,
	withdraw boolean NOT NULL, -- withdraws the message's notification
	created_at {time} NOT NULL,
	PRIMARY KEY (device_id, message_id)
);
CREATE INDEX push_repeats_created ON push_repeats (created_at);
CREATE INDEX push_repeats_realm ON push_repeats (realm_id);

-- The secret from which the server's VAPID key is derived.
CREATE TABLE push_secret (
	id {int} PRIMARY KEY, -- 1
	secret text NOT NULL -- sealed
);
