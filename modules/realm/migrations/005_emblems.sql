ALTER TABLE realms ADD COLUMN emblems text NOT NULL DEFAULT 'null'; -- JSON, see realm.Realm
