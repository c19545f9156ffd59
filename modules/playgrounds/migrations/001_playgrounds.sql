-- expand: adds a table; locks none in use.
CREATE TABLE playgrounds (
	id {id},
	realm_id {int} NOT NULL,
	name text NOT NULL,
	language text NOT NULL,
	url_template text NOT NULL
);
CREATE UNIQUE INDEX playgrounds_names ON playgrounds (realm_id, language, name);
