UPDATE realms SET retention_days = COALESCE(json_extract(settings, '$.message_retention_days'), -1);
