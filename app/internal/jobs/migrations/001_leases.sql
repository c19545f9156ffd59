-- expand: adds a table; locks none in use.
CREATE TABLE job_leases (
    name text PRIMARY KEY,
    holder text NOT NULL,
    due {int} NOT NULL
);
