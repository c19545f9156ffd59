-- expand: adds tables; locks none in use.
CREATE TABLE user_groups (
	id {id}, -- from 101; lower IDs are system groups, which have no rows
	realm_id {int} NOT NULL,
	name text NOT NULL,
	name_key text NOT NULL, -- case-folded, so that names are unique regardless of case
	description text NOT NULL,
	creator_id {int} NOT NULL, -- 0: unknown
	created_at {time} NOT NULL,
	deactivated boolean NOT NULL,
	permissions text NOT NULL -- JSON: group-setting values by wire name
);

CREATE UNIQUE INDEX user_groups_name ON user_groups (realm_id, name_key);

CREATE TABLE user_group_members (
	group_id {int} NOT NULL,
	user_id {int} NOT NULL,
	realm_id {int} NOT NULL,
	PRIMARY KEY (group_id, user_id)
);

CREATE INDEX user_group_members_realm ON user_group_members (realm_id);

CREATE TABLE user_group_subgroups (
	group_id {int} NOT NULL,
	subgroup_id {int} NOT NULL,
	realm_id {int} NOT NULL,
	PRIMARY KEY (group_id, subgroup_id)
);

CREATE INDEX user_group_subgroups_realm ON user_group_subgroups (realm_id);
