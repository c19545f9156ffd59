ALTER TABLE users ADD COLUMN avatar text NOT NULL DEFAULT ''; -- URL of the uploaded image
