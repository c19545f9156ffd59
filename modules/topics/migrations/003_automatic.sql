-- expand: adds a column with a default; locks user_topics for a moment.
-- Whether the user acquired the policy by participating in the topic. Unknown for older rows.
ALTER TABLE user_topics ADD COLUMN automatic boolean NOT NULL DEFAULT true;
