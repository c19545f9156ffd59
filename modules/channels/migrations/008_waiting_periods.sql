-- contract, required: renames a table; locks it for a moment.
ALTER TABLE channel_ripening RENAME TO channel_waiting_periods;
DROP INDEX channel_ripening_due;
CREATE INDEX channel_waiting_periods_due ON channel_waiting_periods (due);
