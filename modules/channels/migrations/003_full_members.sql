-- Formerly 003_ripening.
-- expand: adds a table; locks none in use.
CREATE TABLE channel_ripening (
	realm_id {int} PRIMARY KEY, -- only realms with a waiting period
	upto {time} NOT NULL, -- new full members have been announced up to this time
	due {time} -- when the next member becomes a full member; NULL: never
);
CREATE INDEX channel_ripening_due ON channel_ripening (due);
