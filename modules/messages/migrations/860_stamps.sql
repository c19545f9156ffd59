-- expand: adds a column and a trigger; locks messages for a moment.
-- A number that changes with every change of the row, by whatever program, so that what was made of the row can be
-- kept. It is random: a transaction that was rolled back, or a database that was restored, does not repeat it.
ALTER TABLE messages ADD COLUMN stamp {int};
