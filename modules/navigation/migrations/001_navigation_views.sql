-- expand: adds a table; locks none in use.
-- The views in users' sidebars.
CREATE TABLE navigation_views (
	user_id {int} NOT NULL,
	fragment text NOT NULL,
	realm_id {int} NOT NULL,
	is_pinned boolean NOT NULL,
	name text,
	PRIMARY KEY (user_id, fragment)
);
CREATE INDEX navigation_views_realm ON navigation_views (realm_id);
