ALTER TABLE realms ADD COLUMN delete_after TEXT; -- of a deactivated realm; null: never
