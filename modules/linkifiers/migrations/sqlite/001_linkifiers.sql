CREATE TABLE linkifiers (
	id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
	realm_id INTEGER NOT NULL,
	position INTEGER NOT NULL, -- smaller first
	pattern TEXT NOT NULL,
	url_template TEXT NOT NULL,
	example_input TEXT,
	reverse_template TEXT,
	alternatives TEXT NOT NULL -- JSON: further URL templates
);
CREATE INDEX linkifiers_realm ON linkifiers (realm_id);
