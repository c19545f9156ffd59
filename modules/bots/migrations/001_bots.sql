-- expand: adds tables; locks none in use.
CREATE TABLE bots (
	user_id {int} PRIMARY KEY,
	realm_id {int} NOT NULL,
	sends {int} NOT NULL, -- the default channel for messages; 0: none
	listens {int} NOT NULL, -- the default channel for events; 0: none
	all_public boolean NOT NULL,
	config text NOT NULL, -- JSON object of strings
	service_name text NOT NULL,
	service_url text NOT NULL,
	service_interface {int} NOT NULL, -- 0: no service
	service_token text NOT NULL -- encrypted
);

CREATE INDEX bots_realm ON bots (realm_id);

CREATE TABLE bot_storages (
	user_id {int} PRIMARY KEY,
	realm_id {int} NOT NULL,
	chars {int} NOT NULL -- total length of names and values
);

CREATE TABLE bot_storage (
	user_id {int} NOT NULL,
	name text NOT NULL,
	value text NOT NULL,
	PRIMARY KEY (user_id, name)
);
