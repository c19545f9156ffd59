ALTER TABLE realms ADD COLUMN domains text NOT NULL DEFAULT '[]'; -- JSON, as realm.Domain
ALTER TABLE realms ADD COLUMN last_domain bigint NOT NULL DEFAULT 0; -- id of the newest there ever was
