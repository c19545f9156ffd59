ALTER TABLE realms ADD COLUMN domains TEXT NOT NULL DEFAULT '[]'; -- JSON, as realm.Domain
ALTER TABLE realms ADD COLUMN last_domain INTEGER NOT NULL DEFAULT 0; -- id of the newest there ever was
