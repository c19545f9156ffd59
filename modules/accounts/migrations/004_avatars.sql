-- expand: adds a column with a default; locks users for a moment.
ALTER TABLE users ADD COLUMN avatar text NOT NULL DEFAULT ''; -- URL of the uploaded image
