-- contract, required: renames a table; locks it for a moment.
ALTER TABLE pictures RENAME TO images;
