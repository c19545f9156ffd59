CREATE INDEX invite_mails_source ON invite_mails (source, sent_at);
