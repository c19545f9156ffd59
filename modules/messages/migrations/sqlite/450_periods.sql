-- Who came to or left a channel after a message: few, where most subscribers are as they were.
CREATE INDEX subscription_periods_since ON subscription_periods (recipient_id, from_msg) WHERE to_seq IS NULL;
CREATE INDEX subscription_periods_until ON subscription_periods (recipient_id, to_msg) WHERE to_seq IS NOT NULL;
