-- expand: adds a table; locks none in use.
CREATE TABLE farewells (
	id {id},
	realm_id {int} NOT NULL,
	user_id {int} NOT NULL,
	comment text NOT NULL, -- of the administrator
	created_at {time} NOT NULL
);
CREATE INDEX farewells_user ON farewells (user_id);
CREATE INDEX farewells_created ON farewells (created_at);
