-- expand: adds a column; locks import_jobs for an instant.
ALTER TABLE import_jobs ADD COLUMN active_at {time}; -- the last step of an owner or of the job; NULL: as created_at
