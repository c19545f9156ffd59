-- expand: adds a table; locks none in use.
CREATE TABLE tickets (
	id {id},
	realm_id {int} NOT NULL,
	reporter {int} NOT NULL,
	message_id {int} NOT NULL,
	note_id {int} NOT NULL
);
CREATE INDEX tickets_realm ON tickets (realm_id, message_id);
