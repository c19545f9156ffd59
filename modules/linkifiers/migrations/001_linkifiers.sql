-- expand: adds a table; locks none in use.
CREATE TABLE linkifiers (
	id {id},
	realm_id {int} NOT NULL,
	position {int} NOT NULL, -- in ascending order
	pattern text NOT NULL,
	url_template text NOT NULL,
	example_input text,
	reverse_template text,
	alternatives text NOT NULL -- JSON: further URL templates
);
CREATE INDEX linkifiers_realm ON linkifiers (realm_id);
