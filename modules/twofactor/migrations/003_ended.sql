-- expand: adds a column with a default; locks second_factors for a moment.
-- When the logins were ended that began without a second factor, once it had become necessary; 0: they were not.
ALTER TABLE second_factors ADD COLUMN ended_at {int} NOT NULL DEFAULT 0;
