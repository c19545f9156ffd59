-- expand: adds a table; locks none in use.
CREATE TABLE audit_sinks (
	sink text NOT NULL,
	realm_id {int} NOT NULL,
	seq {int} NOT NULL,
	PRIMARY KEY (sink, realm_id)
);
