-- contract, required: earlier versions would claim rows without holding them; locks exports for a moment.
-- The node that works on an export holds it; if that node dies, the export is due again. So are all those
-- claimed so far.
ALTER TABLE exports ADD COLUMN holder text NOT NULL DEFAULT '';
CREATE INDEX exports_holder ON exports (holder) WHERE holder <> '';
UPDATE exports SET due_at = '2000-01-01 00:00:00+00:00' WHERE state = 0;
