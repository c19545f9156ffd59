ALTER TABLE users ADD COLUMN avatar TEXT NOT NULL DEFAULT ''; -- address of an uploaded picture
