-- Whether the data of a deactivated realm is being deleted.
ALTER TABLE realms ADD COLUMN deleting boolean NOT NULL DEFAULT false;
