-- The reports of the last day, whose number is limited.
CREATE TABLE message_reports (
	realm_id INTEGER NOT NULL,
	reporter_id INTEGER NOT NULL,
	owner_id INTEGER NOT NULL,
	message_id INTEGER NOT NULL,
	sent_at INTEGER NOT NULL,
	PRIMARY KEY (reporter_id, message_id)
);
CREATE INDEX message_reports_owner ON message_reports (owner_id);
CREATE INDEX message_reports_message ON message_reports (message_id);
CREATE INDEX message_reports_realm ON message_reports (realm_id, sent_at);
