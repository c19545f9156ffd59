-- expand: adds tables; locks none in use.
CREATE TABLE exports (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL, -- the user who requested it
	type text NOT NULL,
	url text NOT NULL, -- the realm's URL in the request
	token text NOT NULL, -- the secret part of the URL
	state {int16} NOT NULL, -- export.State
	requested_at {time} NOT NULL,
	ended_at {time}, -- when it completed or failed
	deleted_at {time},
	parts {int} NOT NULL, -- complete parts
	bytes {int} NOT NULL, -- bytes of the complete parts
	position text NOT NULL, -- JSON: the start of the next part
	tries {int} NOT NULL, -- attempts to write the next part
	due_at {time} NOT NULL -- not tried before this time
);
CREATE INDEX exports_realm ON exports (realm_id, id);
CREATE INDEX exports_due ON exports (due_at, id) WHERE state = 0;
CREATE INDEX exports_complete ON exports (ended_at) WHERE state = 1;
CREATE TABLE export_parts ( -- inserted before the blob is written
	key text PRIMARY KEY,
	export_id {int} NOT NULL,
	number {int} NOT NULL, -- from 0
	realm_id {int} NOT NULL,
	size {int}, -- bytes; NULL: incomplete
	doomed boolean NOT NULL -- to be deleted
);
CREATE INDEX export_parts_export ON export_parts (export_id, number);
CREATE INDEX export_parts_realm ON export_parts (realm_id);
CREATE INDEX export_parts_doomed ON export_parts (key) WHERE doomed;
