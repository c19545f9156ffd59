-- expand: adds a table; locks none in use.
CREATE TABLE realms (
	id {id},
	string_id text NOT NULL, -- the subdomain; empty for the root realm
	uuid text NOT NULL,
	mail_domain text NOT NULL,
	created_at {time} NOT NULL,
	deactivated boolean NOT NULL,
	settings text NOT NULL -- JSON, by wire name
);

CREATE UNIQUE INDEX realms_string_id ON realms (string_id);
