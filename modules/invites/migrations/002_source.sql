-- expand: adds an index; blocks changes of invite_mails while it is built.
CREATE INDEX invite_mails_source ON invite_mails (source, sent_at);
