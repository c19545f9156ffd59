-- What the push service last said of realms. Without a row it delivers for a realm.
CREATE TABLE push_realms (
	realm_id bigint PRIMARY KEY,
	can_push boolean NOT NULL,
	ends_at bigint -- when it will stop, in Unix seconds; null: not foreseen
);
