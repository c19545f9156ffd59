-- expand: adds a table; locks none in use.
-- The reports of the last day, to limit their number.
CREATE TABLE message_reports (
	realm_id {int} NOT NULL,
	reporter_id {int} NOT NULL,
	owner_id {int} NOT NULL,
	message_id {int} NOT NULL,
	sent_at {int} NOT NULL,
	PRIMARY KEY (reporter_id, message_id)
);
CREATE INDEX message_reports_owner ON message_reports (owner_id);
CREATE INDEX message_reports_message ON message_reports (message_id);
CREATE INDEX message_reports_realm ON message_reports (realm_id, sent_at);
