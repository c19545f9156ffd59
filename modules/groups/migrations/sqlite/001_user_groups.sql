CREATE TABLE user_groups (
	id INTEGER PRIMARY KEY AUTOINCREMENT, -- lower ones are system groups, stored nowhere
	realm_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	name_key TEXT NOT NULL, -- folded: names are unique in any case
	description TEXT NOT NULL,
	creator_id INTEGER NOT NULL, -- 0: not known
	created_at TEXT NOT NULL,
	deactivated BOOLEAN NOT NULL,
	permissions TEXT NOT NULL -- JSON: group-setting values by wire name
);

CREATE UNIQUE INDEX user_groups_name ON user_groups (realm_id, name_key);

CREATE TABLE user_group_members (
	group_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	realm_id INTEGER NOT NULL,
	PRIMARY KEY (group_id, user_id)
);

CREATE INDEX user_group_members_realm ON user_group_members (realm_id);

CREATE TABLE user_group_subgroups (
	group_id INTEGER NOT NULL,
	subgroup_id INTEGER NOT NULL,
	realm_id INTEGER NOT NULL,
	PRIMARY KEY (group_id, subgroup_id)
);

CREATE INDEX user_group_subgroups_realm ON user_group_subgroups (realm_id);

INSERT INTO sqlite_sequence (name, seq) VALUES ('user_groups', 100); -- the first id is 101
