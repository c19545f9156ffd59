-- expand: adds a column with a default; locks api_keys for a moment.
-- The encrypted key, only of bots: their owners may read it.
ALTER TABLE api_keys ADD COLUMN sealed text NOT NULL DEFAULT '';
