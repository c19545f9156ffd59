CREATE TABLE playgrounds (
	id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
	realm_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	language TEXT NOT NULL,
	url_template TEXT NOT NULL
);
CREATE UNIQUE INDEX playgrounds_names ON playgrounds (realm_id, language, name);
