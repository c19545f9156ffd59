CREATE TABLE bots (
	user_id INTEGER PRIMARY KEY,
	realm_id INTEGER NOT NULL,
	sends INTEGER NOT NULL, -- a channel, 0: none
	listens INTEGER NOT NULL, -- a channel, 0: none
	all_public BOOLEAN NOT NULL,
	config TEXT NOT NULL, -- JSON object of texts
	service_name TEXT NOT NULL,
	service_url TEXT NOT NULL,
	service_interface INTEGER NOT NULL, -- 0: no service
	service_token TEXT NOT NULL -- encrypted
);

CREATE INDEX bots_realm ON bots (realm_id);

CREATE TABLE bot_storages (
	user_id INTEGER PRIMARY KEY,
	realm_id INTEGER NOT NULL,
	chars INTEGER NOT NULL -- of names and values together
);

CREATE TABLE bot_storage (
	user_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (user_id, name)
);
