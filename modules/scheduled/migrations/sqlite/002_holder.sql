-- The turn to deliver belongs to a node until it has delivered, or has died.
ALTER TABLE scheduled_turn DROP COLUMN ends_at;
UPDATE scheduled_turn SET holder = '';
