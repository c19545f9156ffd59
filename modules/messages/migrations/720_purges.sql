-- expand: adds a table; locks none in use.
-- Requests to delete all messages of deactivated users.
CREATE TABLE message_purges (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	by_id {int} NOT NULL, -- the user who requested it
	in_public boolean NOT NULL,
	in_private boolean NOT NULL,
	direct boolean NOT NULL,
	done {int} NOT NULL, -- messages up to this ID are deleted
	upto {int} NOT NULL, -- messages after this ID are kept; 0: there are none
	created_at {time} NOT NULL
);
CREATE INDEX message_purges_user ON message_purges (user_id);
