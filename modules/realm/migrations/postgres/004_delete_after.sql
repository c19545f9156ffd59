ALTER TABLE realms ADD COLUMN delete_after timestamptz; -- of a deactivated realm; null: never
