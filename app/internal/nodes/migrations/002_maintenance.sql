-- expand: adds a table; locks none in use.
-- Its row exists while all nodes only read.
CREATE TABLE maintenance (
	id {int} PRIMARY KEY, -- 1
	message text NOT NULL -- what the operator tells users; may be empty
);
