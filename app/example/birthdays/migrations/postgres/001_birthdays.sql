CREATE TABLE birthdays (
    user_id bigint PRIMARY KEY,
    realm_id bigint NOT NULL,
    day text NOT NULL
);
CREATE INDEX birthdays_realm ON birthdays (realm_id, user_id);
