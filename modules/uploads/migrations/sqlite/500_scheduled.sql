-- Files that scheduled messages name; they are kept until the message is sent or removed.
CREATE TABLE attachment_scheduled (
	attachment_id INTEGER NOT NULL,
	scheduled_id INTEGER NOT NULL,
	realm_id INTEGER NOT NULL,
	PRIMARY KEY (attachment_id, scheduled_id)
);
CREATE INDEX attachment_scheduled_scheduled ON attachment_scheduled (scheduled_id);
CREATE INDEX attachment_scheduled_realm ON attachment_scheduled (realm_id);
