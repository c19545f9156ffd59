ALTER TABLE realms ADD COLUMN emblems TEXT NOT NULL DEFAULT 'null'; -- JSON, as realm.Realm has them
