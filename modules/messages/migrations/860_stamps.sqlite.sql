CREATE TRIGGER messages_stamp AFTER UPDATE ON messages WHEN NEW.stamp IS OLD.stamp BEGIN
	UPDATE messages SET stamp = random() WHERE id = NEW.id;
END;
