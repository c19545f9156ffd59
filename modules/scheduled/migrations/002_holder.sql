-- contract, required: drops a column; locks scheduled_turn for a moment.
-- The node whose turn it is to deliver holds the turn until it is done or dies.
ALTER TABLE scheduled_turn DROP COLUMN ends_at;
UPDATE scheduled_turn SET holder = '';
