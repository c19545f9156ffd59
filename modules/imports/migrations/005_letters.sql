-- expand: adds a table; locks none in use.
CREATE TABLE import_letters (
	id {id},
	realm_id {int} NOT NULL, -- the organization whose owner has links sent
	address text {bytewise} NOT NULL, -- a hash of the receiver's address; empty: a request of the owner
	sent_at {time} NOT NULL
);
CREATE INDEX import_letters_address ON import_letters (realm_id, address, sent_at);
CREATE INDEX import_letters_sent ON import_letters (sent_at);
