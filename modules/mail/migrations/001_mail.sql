-- expand: adds a table; locks none in use.
CREATE TABLE mail_queue (
	id {id},
	realm_id {int} NOT NULL,
	kind text NOT NULL,
	ref {int} NOT NULL,
	message_id text NOT NULL,
	tries {int} NOT NULL,
	due_at {time} NOT NULL,
	created_at {time} NOT NULL
);
CREATE INDEX mail_queue_due ON mail_queue (due_at, id);
