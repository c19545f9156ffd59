-- expand: adds tables; locks none in use.
-- The devices and networks from which users have logged in.
CREATE TABLE login_devices (
	user_id {int} NOT NULL,
	device text NOT NULL, -- a hash
	realm_id {int} NOT NULL,
	seen_at {time} NOT NULL,
	PRIMARY KEY (user_id, device)
);
CREATE INDEX login_devices_realm ON login_devices (realm_id);
CREATE INDEX login_devices_seen ON login_devices (seen_at);

-- Logins from new devices, of which users are notified by email.
CREATE TABLE login_notices (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	program text NOT NULL,
	address text NOT NULL, -- the client's IP address
	created_at {time} NOT NULL
);
CREATE INDEX login_notices_user ON login_notices (user_id);
CREATE INDEX login_notices_realm ON login_notices (realm_id);
CREATE INDEX login_notices_created ON login_notices (created_at);
