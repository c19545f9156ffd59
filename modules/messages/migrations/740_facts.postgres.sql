-- Compression does not make the list smaller, and it is always read as a whole.
ALTER TABLE message_facts ALTER COLUMN list SET STORAGE EXTERNAL;
