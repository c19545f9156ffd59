CREATE TABLE birthday_settings (
	realm_id {int} PRIMARY KEY,
	setters text NOT NULL
);
