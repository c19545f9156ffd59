ALTER TABLE messages ADD COLUMN realm_url TEXT; -- where the sender reached the realm, if the content may name that

CREATE TABLE message_rendering (
	id INTEGER PRIMARY KEY, -- 1: there is one row
	version INTEGER NOT NULL, -- of the rendering rules
	done INTEGER NOT NULL -- up to this id no message has an older version
);
