-- expand: adds a column with a default; locks realm_events for a moment.
-- The format in which an entry is written. A program that does not know it must not guess what the entry means.
ALTER TABLE realm_events ADD COLUMN format {int16} NOT NULL DEFAULT 1;
