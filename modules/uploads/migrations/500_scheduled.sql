-- expand: adds a table; locks none in use.
-- The files of scheduled messages, kept until the message is sent or deleted.
CREATE TABLE attachment_scheduled (
	attachment_id {int} NOT NULL,
	scheduled_id {int} NOT NULL,
	realm_id {int} NOT NULL,
	PRIMARY KEY (attachment_id, scheduled_id)
);
CREATE INDEX attachment_scheduled_scheduled ON attachment_scheduled (scheduled_id);
CREATE INDEX attachment_scheduled_realm ON attachment_scheduled (realm_id);
