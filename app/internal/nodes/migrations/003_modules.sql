-- expand: adds a column with a default; locks nodes for a moment.
ALTER TABLE nodes ADD COLUMN modules text NOT NULL DEFAULT ''; -- of a server, separated by spaces
