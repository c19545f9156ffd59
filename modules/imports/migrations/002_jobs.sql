-- expand: adds tables; locks none in use.
CREATE TABLE import_jobs (
	id {id},
	realm_id {int} NOT NULL, -- the organization whose owner imports
	user_id {int} NOT NULL,
	program text NOT NULL,
	file_name text NOT NULL,
	size {int} NOT NULL, -- bytes of the archive
	received {int} NOT NULL, -- bytes
	parts {int} NOT NULL,
	state text NOT NULL,
	options text NOT NULL, -- JSON
	report text NOT NULL, -- JSON; empty: none yet
	target_id {int} NOT NULL, -- the imported organization; 0: none yet
	step text NOT NULL,
	messages {int} NOT NULL, -- written so far
	error text NOT NULL,
	tries {int} NOT NULL,
	due_at {time}, -- of the job; NULL: it has nothing to do
	created_at {time} NOT NULL,
	ended_at {time}
);
CREATE INDEX import_jobs_due ON import_jobs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX import_jobs_realm ON import_jobs (realm_id, id);
CREATE TABLE import_parts (
	key text {bytewise} PRIMARY KEY, -- of the blob
	job_id {int} NOT NULL,
	realm_id {int} NOT NULL,
	number {int} NOT NULL, -- from 0
	size {int} -- bytes; NULL: it is being stored
);
CREATE INDEX import_parts_job ON import_parts (job_id, number);
CREATE INDEX import_parts_realm ON import_parts (realm_id);
