-- In the order of the table, since a node that starts reads everybody: users_email has the order of the addresses.
CREATE INDEX users_realm ON users (realm_id);
