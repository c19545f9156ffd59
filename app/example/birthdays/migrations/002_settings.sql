-- expand: adds a table; locks none in use.
CREATE TABLE birthday_settings (
	realm_id {int} PRIMARY KEY,
	setters text NOT NULL
);
