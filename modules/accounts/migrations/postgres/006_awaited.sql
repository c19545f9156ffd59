-- Users whom an administrator has made and who have not logged in yet.
CREATE TABLE awaited_users (
	user_id bigint PRIMARY KEY
);
