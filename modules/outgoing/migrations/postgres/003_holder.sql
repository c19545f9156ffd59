-- A call that is being made belongs to a node, and is free when that has died. Those of earlier versions are free.
ALTER TABLE outgoing_calls ADD COLUMN holder text NOT NULL DEFAULT '';
UPDATE outgoing_calls SET due_at = created_at WHERE running;
DROP INDEX outgoing_calls_running;
ALTER TABLE outgoing_calls DROP COLUMN running;
CREATE INDEX outgoing_calls_holder ON outgoing_calls (holder) WHERE holder <> '';
