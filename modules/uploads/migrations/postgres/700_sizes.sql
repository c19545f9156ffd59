-- For the total size of a user's files, which is limited if the organization has a quota.
CREATE INDEX attachments_owner_size ON attachments (owner_id, size);
