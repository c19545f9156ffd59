-- expand: adds a column with a default; locks realms for a moment.
-- Whether the data of a deactivated realm is being deleted.
ALTER TABLE realms ADD COLUMN deleting boolean NOT NULL DEFAULT false;
