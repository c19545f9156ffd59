-- expand: adds tables; locks none in use.
CREATE TABLE import_runs (
	realm_id {int} PRIMARY KEY,
	source text NOT NULL, -- the program whose archive is imported
	complete boolean NOT NULL, -- the organization may be used
	after_message {int} NOT NULL, -- messages of the current run have higher IDs
	started_at {time} NOT NULL,
	ended_at {time}
);
CREATE TABLE import_keys (
	realm_id {int} NOT NULL,
	kind text {bytewise} NOT NULL, -- a table, or files
	key text {bytewise} NOT NULL, -- of the record in the source
	id {int} NOT NULL, -- of the row here
	path text NOT NULL, -- of a file; otherwise empty
	PRIMARY KEY (realm_id, kind, key)
);
