-- expand: adds a table; locks none in use.
CREATE TABLE custom_emoji (
	id {id},
	realm_id {int} NOT NULL,
	name text NOT NULL,
	source text NOT NULL, -- URL of the image
	still text NOT NULL, -- URL of a still image, for an animated one
	author_id {int} NOT NULL,
	deactivated boolean NOT NULL
);
CREATE INDEX custom_emoji_realm ON custom_emoji (realm_id);
CREATE UNIQUE INDEX custom_emoji_names ON custom_emoji (realm_id, name) WHERE NOT deactivated;
