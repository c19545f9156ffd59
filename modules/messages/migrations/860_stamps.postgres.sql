CREATE OR REPLACE FUNCTION messages_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.stamp := floor(random() * 9007199254740992)::bigint;
	RETURN NEW;
END $$;
CREATE TRIGGER messages_stamp BEFORE UPDATE ON messages FOR EACH ROW EXECUTE FUNCTION messages_stamp();
