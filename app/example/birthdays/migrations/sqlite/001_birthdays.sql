CREATE TABLE birthdays (
    user_id INTEGER PRIMARY KEY,
    realm_id INTEGER NOT NULL,
    day TEXT NOT NULL
);
CREATE INDEX birthdays_realm ON birthdays (realm_id, user_id);
