ALTER TABLE realms ADD COLUMN user_defaults TEXT NOT NULL DEFAULT ''; -- JSON by wire name, what is not as everywhere; '': all is
