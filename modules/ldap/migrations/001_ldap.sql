-- expand: adds a table; locks none in use.
-- Users who log in with an LDAP directory.
CREATE TABLE ldap_people (
	user_id {int} NOT NULL,
	directory text NOT NULL, -- the ID in the configuration
	realm_id {int} NOT NULL,
	name text NOT NULL, -- with which the user has logged in; empty: unknown
	deactivated boolean NOT NULL, -- by a synchronization
	PRIMARY KEY (user_id, directory)
);
CREATE INDEX ldap_people_realm ON ldap_people (realm_id, directory);
