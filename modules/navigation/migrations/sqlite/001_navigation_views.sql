-- The views that a person keeps in their sidebar.
CREATE TABLE navigation_views (
	user_id INTEGER NOT NULL,
	fragment TEXT NOT NULL,
	realm_id INTEGER NOT NULL,
	is_pinned BOOLEAN NOT NULL,
	name TEXT,
	PRIMARY KEY (user_id, fragment)
);
CREATE INDEX navigation_views_realm ON navigation_views (realm_id);
