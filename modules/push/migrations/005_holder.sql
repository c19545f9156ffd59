-- contract, required: earlier versions would claim rows without holding them; locks push_registrations.
-- The node that sends a registration holds it; if that node dies, it is due again. So are all those claimed so far.
ALTER TABLE push_registrations ADD COLUMN holder text NOT NULL DEFAULT '';
CREATE INDEX push_registrations_holder ON push_registrations (holder) WHERE holder <> '';
UPDATE push_registrations SET due_at = '2000-01-01 00:00:00+00:00' WHERE tries > 0;
