-- expand: adds a column with a default; locks realms for a moment.
-- JSON by wire name, only what differs from the server's defaults; empty: nothing.
ALTER TABLE realms ADD COLUMN user_defaults text NOT NULL DEFAULT '';
