-- Which settings people have changed for themselves: an administrator who changes those of many may leave these alone.
CREATE TABLE edited_settings (
	user_id bigint NOT NULL,
	name text NOT NULL,
	PRIMARY KEY (user_id, name)
);
