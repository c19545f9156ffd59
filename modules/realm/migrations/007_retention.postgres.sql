UPDATE realms SET retention_days = COALESCE((settings::json ->> 'message_retention_days')::integer, -1);
