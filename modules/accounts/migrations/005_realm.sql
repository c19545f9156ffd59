-- expand: adds an index; blocks changes of users while it is built.
-- A starting node reads all users of a realm, faster in the order of the table than in that of users_email.
CREATE INDEX users_realm ON users (realm_id);
