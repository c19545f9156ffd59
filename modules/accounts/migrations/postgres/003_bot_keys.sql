ALTER TABLE api_keys ADD COLUMN sealed text NOT NULL DEFAULT ''; -- the key itself, encrypted, of bots alone: their owners may read it
