-- expand: adds columns with defaults; locks api_keys for a moment.
ALTER TABLE api_keys ADD COLUMN client text NOT NULL DEFAULT ''; -- User-Agent of the last use, or of who made the key
ALTER TABLE api_keys ADD COLUMN used_at {int} NOT NULL DEFAULT 0; -- Unix seconds, accurate to a few minutes; 0: never
ALTER TABLE api_keys ADD COLUMN used_from text NOT NULL DEFAULT ''; -- network address of the last use
