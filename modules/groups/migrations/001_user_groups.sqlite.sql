INSERT INTO sqlite_sequence (name, seq) VALUES ('user_groups', 100);
