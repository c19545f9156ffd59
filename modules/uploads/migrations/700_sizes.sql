-- expand: adds an index; blocks uploads while it is built.
-- For the total size of a user's files, which the realm may limit.
CREATE INDEX attachments_owner_size ON attachments (owner_id, size);
