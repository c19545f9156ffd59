CREATE TABLE farewells (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	realm_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	comment TEXT NOT NULL, -- by who has deactivated them
	created_at TEXT NOT NULL
);
CREATE INDEX farewells_user ON farewells (user_id);
CREATE INDEX farewells_created ON farewells (created_at);
