CREATE TABLE bots (
	user_id bigint PRIMARY KEY,
	realm_id bigint NOT NULL,
	sends bigint NOT NULL, -- a channel, 0: none
	listens bigint NOT NULL, -- a channel, 0: none
	all_public boolean NOT NULL,
	config text NOT NULL, -- JSON object of texts
	service_name text NOT NULL,
	service_url text NOT NULL,
	service_interface bigint NOT NULL, -- 0: no service
	service_token text NOT NULL -- encrypted
);

CREATE INDEX bots_realm ON bots (realm_id);

CREATE TABLE bot_storages (
	user_id bigint PRIMARY KEY,
	realm_id bigint NOT NULL,
	chars bigint NOT NULL -- of names and values together
);

CREATE TABLE bot_storage (
	user_id bigint NOT NULL,
	name text NOT NULL,
	value text NOT NULL,
	PRIMARY KEY (user_id, name)
);
