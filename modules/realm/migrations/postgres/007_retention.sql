ALTER TABLE realms ADD COLUMN retention_days integer NOT NULL DEFAULT -1; -- as in settings, to be found by
UPDATE realms SET retention_days = COALESCE((settings::json ->> 'message_retention_days')::integer, -1);
