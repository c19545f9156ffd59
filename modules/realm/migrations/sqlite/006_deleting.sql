ALTER TABLE realms ADD COLUMN deleting BOOLEAN NOT NULL DEFAULT FALSE; -- of a deactivated realm: its data is being deleted
