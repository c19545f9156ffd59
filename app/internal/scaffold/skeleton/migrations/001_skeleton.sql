-- expand: adds a table; locks none in use.
CREATE TABLE skeleton_items (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	text text NOT NULL
);
CREATE INDEX skeleton_items_realm ON skeleton_items (realm_id, id);
CREATE INDEX skeleton_items_user ON skeleton_items (user_id, id);
