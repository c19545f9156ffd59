-- expand: adds a table; locks none in use.
CREATE TABLE saved_snippets (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	title text NOT NULL,
	content text NOT NULL,
	created_at {time} NOT NULL
);
CREATE INDEX saved_snippets_user ON saved_snippets (user_id, id);
CREATE INDEX saved_snippets_realm ON saved_snippets (realm_id);
