-- expand: adds a column with a default; locks realms for a moment.
ALTER TABLE realms ADD COLUMN emblems text NOT NULL DEFAULT 'null'; -- JSON, see realm.Realm
