-- expand: adds tables; locks none in use.
-- With which clients authenticate.
CREATE TABLE scim_tokens (
	id {id},
	realm_id {int} NOT NULL,
	name text NOT NULL, -- of the client, shown to owners
	hash text NOT NULL, -- SHA-256
	hint text NOT NULL, -- the last characters
	creator_id {int} NOT NULL, -- 0: the operator
	created_at {time} NOT NULL,
	expires_at {time}, -- NULL: never
	used_at {time} -- NULL: never
);
CREATE UNIQUE INDEX scim_tokens_hash ON scim_tokens (hash);
CREATE INDEX scim_tokens_realm ON scim_tokens (realm_id);

-- What clients have said about accounts.
CREATE TABLE scim_people (
	user_id {int} NOT NULL PRIMARY KEY,
	realm_id {int} NOT NULL,
	manager text NOT NULL, -- name of the token that manages the account; empty: none does
	user_name text NOT NULL,
	user_key text NOT NULL, -- user_name, case-folded
	external_id text NOT NULL, -- the client's ID; empty: unknown
	attributes text NOT NULL, -- JSON: what the account itself does not contain
	sets_role boolean NOT NULL, -- a client has set the role
	removed boolean NOT NULL, -- by a client: the account is deactivated, and no longer a resource
	version {int} NOT NULL -- number of changes
);
CREATE INDEX scim_people_name ON scim_people (realm_id, user_key);
CREATE UNIQUE INDEX scim_people_external ON scim_people (realm_id, external_id) WHERE external_id <> '';

-- User groups of clients.
CREATE TABLE scim_groups (
	group_id {int} NOT NULL PRIMARY KEY,
	realm_id {int} NOT NULL,
	manager text NOT NULL, -- name of the token
	external_id text NOT NULL,
	version {int} NOT NULL
);
CREATE INDEX scim_groups_realm ON scim_groups (realm_id);
