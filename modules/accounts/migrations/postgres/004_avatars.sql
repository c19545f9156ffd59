ALTER TABLE users ADD COLUMN avatar text NOT NULL DEFAULT ''; -- address of an uploaded picture
