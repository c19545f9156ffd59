-- expand: adds indexes; blocks changes of subscription_periods while they are built.
-- For the few users who subscribed to or left a channel after a message.
CREATE INDEX subscription_periods_since ON subscription_periods (recipient_id, from_msg) WHERE to_seq IS NULL;
CREATE INDEX subscription_periods_until ON subscription_periods (recipient_id, to_msg) WHERE to_seq IS NOT NULL;
