ALTER TABLE realms ADD COLUMN user_defaults text NOT NULL DEFAULT ''; -- JSON by wire name, what is not as everywhere; '': all is
