-- The views that a person keeps in their sidebar.
CREATE TABLE navigation_views (
	user_id bigint NOT NULL,
	fragment text NOT NULL,
	realm_id bigint NOT NULL,
	is_pinned boolean NOT NULL,
	name text,
	PRIMARY KEY (user_id, fragment)
);
CREATE INDEX navigation_views_realm ON navigation_views (realm_id);
