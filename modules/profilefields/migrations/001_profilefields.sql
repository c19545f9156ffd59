-- expand: adds tables; locks none in use.
CREATE TABLE profile_fields (
	id {id},
	realm_id {int} NOT NULL,
	type {int} NOT NULL,
	position {int} NOT NULL, -- in ascending order
	name text NOT NULL,
	hint text NOT NULL,
	data text NOT NULL, -- JSON, for lists of options and external accounts
	in_summary boolean NOT NULL,
	required boolean NOT NULL,
	editable boolean NOT NULL, -- by the user
	matching boolean NOT NULL -- searched when users are looked up
);
CREATE INDEX profile_fields_realm ON profile_fields (realm_id, position);

-- Users' values, one row per user because every snapshot contains all profiles.
CREATE TABLE user_profiles (
	user_id {int} PRIMARY KEY,
	realm_id {int} NOT NULL,
	said text NOT NULL -- JSON as in the API: value and rendered_value by field
);
CREATE INDEX user_profiles_realm ON user_profiles (realm_id, user_id);
