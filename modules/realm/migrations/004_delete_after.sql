ALTER TABLE realms ADD COLUMN delete_after {time}; -- when to delete a deactivated realm; NULL: never
