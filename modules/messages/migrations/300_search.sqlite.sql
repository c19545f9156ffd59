-- The words of messages. rowid is the ID of the message.
CREATE VIRTUAL TABLE message_search USING fts5(content, topic, tokenize = 'ascii', detail = none);
