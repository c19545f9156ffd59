-- contract, required: replaces a column; locks outgoing_calls for a moment.
-- The node that makes a call holds it; if that node dies, the call is due again. So are all those claimed so far.
ALTER TABLE outgoing_calls ADD COLUMN holder text NOT NULL DEFAULT '';
UPDATE outgoing_calls SET due_at = created_at WHERE running;
DROP INDEX outgoing_calls_running;
ALTER TABLE outgoing_calls DROP COLUMN running;
CREATE INDEX outgoing_calls_holder ON outgoing_calls (holder) WHERE holder <> '';
