ALTER TABLE pictures RENAME TO images;
