-- What the push service last said of realms. Without a row it delivers for a realm.
CREATE TABLE push_realms (
	realm_id INTEGER PRIMARY KEY,
	can_push BOOLEAN NOT NULL,
	ends_at INTEGER -- when it will stop, in Unix seconds; null: not foreseen
);
