-- contract, required: earlier versions would write the former format; locks message_search_state.
-- The index entries of messages up to this ID have an earlier format; see the package search.
ALTER TABLE message_search_state ADD COLUMN former {int} NOT NULL DEFAULT 0;
UPDATE message_search_state SET former = indexed;
