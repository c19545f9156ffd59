-- expand: adds a table; locks none in use.
CREATE TABLE birthdays (
    user_id {int} PRIMARY KEY,
    realm_id {int} NOT NULL,
    day text NOT NULL
);
CREATE INDEX birthdays_realm ON birthdays (realm_id, user_id);
