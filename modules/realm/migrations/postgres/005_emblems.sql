ALTER TABLE realms ADD COLUMN emblems text NOT NULL DEFAULT 'null'; -- JSON, as realm.Realm has them
