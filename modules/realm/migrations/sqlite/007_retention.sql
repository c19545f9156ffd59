ALTER TABLE realms ADD COLUMN retention_days INTEGER NOT NULL DEFAULT -1; -- as in settings, to be found by
UPDATE realms SET retention_days = COALESCE(json_extract(settings, '$.message_retention_days'), -1);
