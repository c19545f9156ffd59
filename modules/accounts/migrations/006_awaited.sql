-- expand: adds a table; locks none in use.
-- Users created by an administrator who have not logged in yet.
CREATE TABLE awaited_users (
	user_id {int} PRIMARY KEY
);
