-- expand: adds a table; locks none in use.
CREATE TABLE channel_folders (
	id {id},
	realm_id {int} NOT NULL,
	name text NOT NULL,
	description text NOT NULL,
	rendered text NOT NULL, -- the description as HTML
	position {int} NOT NULL, -- within the realm, from 0
	creator_id {int} NOT NULL, -- 0: the server
	created_at {time} NOT NULL,
	archived boolean NOT NULL
);
CREATE INDEX channel_folders_realm ON channel_folders (realm_id, position);
