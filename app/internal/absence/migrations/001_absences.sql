-- expand: adds a table; locks none in use.
-- Modules that have been left out, and when the server started without and again with them.
CREATE TABLE module_absences (
    module text PRIMARY KEY,
    since {time} NOT NULL,
    returned {time}
);
