ALTER TABLE messages ADD COLUMN realm_url text; -- where the sender reached the realm, if the content may name that

CREATE TABLE message_rendering (
	id bigint PRIMARY KEY, -- 1: there is one row
	version bigint NOT NULL, -- of the rendering rules
	done bigint NOT NULL -- up to this id no message has an older version
);
