-- The indexes that PostgreSQL needs in another form are fine for SQLite.
SELECT 1;
