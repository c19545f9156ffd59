-- expand: adds a column; locks import_runs for an instant.
ALTER TABLE import_runs ADD COLUMN joined boolean NOT NULL DEFAULT false; -- imported into an organization that existed
