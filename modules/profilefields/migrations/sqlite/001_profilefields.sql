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

-- What people say, one row for each: everybody's profile is read with every snapshot.
CREATE TABLE user_profiles (
	user_id INTEGER PRIMARY KEY NOT NULL,
	realm_id INTEGER NOT NULL,
	said TEXT NOT NULL -- JSON, as clients see it: value and rendered_value by field
);
CREATE INDEX user_profiles_realm ON user_profiles (realm_id, user_id);
