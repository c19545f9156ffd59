-- contract, required: earlier versions do not maintain the copy; locks realms while it is made.
ALTER TABLE realms ADD COLUMN retention_days {int32} NOT NULL DEFAULT -1; -- a copy of the setting, for queries
