CREATE TABLE profile_fields (
	id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
	realm_id INTEGER NOT NULL,
	type INTEGER NOT NULL,
	position INTEGER NOT NULL, -- smaller first
	name TEXT NOT NULL,
	hint TEXT NOT NULL,
	data TEXT NOT NULL, -- JSON of lists of options and external accounts, else empty
	in_summary BOOLEAN NOT NULL,
	required BOOLEAN NOT NULL,
	editable BOOLEAN NOT NULL, -- by the person
	matching BOOLEAN NOT NULL -- people are found by it
);
CREATE INDEX profile_fields_realm ON profile_fields (realm_id, position);

CREATE TABLE profile_values (
	user_id INTEGER NOT NULL,
	field_id INTEGER NOT NULL,
	realm_id INTEGER NOT NULL,
	value TEXT NOT NULL,
	rendered TEXT NOT NULL, -- as HTML, or empty
	PRIMARY KEY (user_id, field_id)
);
CREATE INDEX profile_values_field ON profile_values (field_id);
CREATE INDEX profile_values_realm ON profile_values (realm_id);
