-- The entries of messages up to this ID have a former form; see the package search.
ALTER TABLE message_search_state ADD COLUMN former INTEGER NOT NULL DEFAULT 0;
UPDATE message_search_state SET former = indexed;
