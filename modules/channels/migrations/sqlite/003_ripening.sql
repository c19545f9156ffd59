CREATE TABLE channel_ripening (
	realm_id INTEGER PRIMARY KEY, -- only of realms with a waiting period
	upto TEXT NOT NULL, -- who has become a full member until then has been told of it
	due TEXT -- when the next will; null: nobody
);
CREATE INDEX channel_ripening_due ON channel_ripening (due);
