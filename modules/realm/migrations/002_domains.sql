-- expand: adds columns with defaults; locks realms for a moment.
ALTER TABLE realms ADD COLUMN domains text NOT NULL DEFAULT '[]'; -- JSON, as realm.Domain
ALTER TABLE realms ADD COLUMN last_domain {int} NOT NULL DEFAULT 0; -- the highest ID ever given to a domain
