-- contract, required: earlier versions would claim rows without holding them; locks preview_queue.
-- The node that fetches the previews of a message holds it; if that node dies, the message is due again. So are all
-- those claimed so far.
ALTER TABLE preview_queue ADD COLUMN holder text NOT NULL DEFAULT '';
CREATE INDEX preview_queue_holder ON preview_queue (holder) WHERE holder <> '';
UPDATE preview_queue SET due_at = '2000-01-01 00:00:00+00:00' WHERE tries > 0;
