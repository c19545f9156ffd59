-- expand: adds a column and a table; locks messages for a moment.
-- The realm's URL in the sender's request, if the content may contain it.
ALTER TABLE messages ADD COLUMN realm_url text;

CREATE TABLE message_rendering (
	id {int} PRIMARY KEY, -- always 1
	version {int} NOT NULL, -- version of the rendering rules
	done {int} NOT NULL -- messages up to this ID have this version
);
