-- expand: adds a column; locks realms for a moment.
ALTER TABLE realms ADD COLUMN delete_after {time}; -- when to delete a deactivated realm; NULL: never
