-- Devices and networks from which people have logged in.
CREATE TABLE login_devices (
	user_id INTEGER NOT NULL,
	device TEXT NOT NULL, -- a hash
	realm_id INTEGER NOT NULL,
	seen_at TEXT NOT NULL,
	PRIMARY KEY (user_id, device)
);
CREATE INDEX login_devices_realm ON login_devices (realm_id);
CREATE INDEX login_devices_seen ON login_devices (seen_at);

-- Logins from new devices, which people are told of by email.
CREATE TABLE login_notices (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	program TEXT NOT NULL,
	address TEXT NOT NULL, -- in the network
	created_at TEXT NOT NULL
);
CREATE INDEX login_notices_user ON login_notices (user_id);
CREATE INDEX login_notices_realm ON login_notices (realm_id);
CREATE INDEX login_notices_created ON login_notices (created_at);
