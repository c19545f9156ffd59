-- expand: adds a table; locks none in use.
-- The settings that users have changed themselves. An administrator who changes a setting of many users may skip these.
CREATE TABLE edited_settings (
	user_id {int} NOT NULL,
	name text NOT NULL,
	PRIMARY KEY (user_id, name)
);
