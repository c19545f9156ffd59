-- contract, required: an earlier version would wait for times, not nodes; locks the rows of job_leases.
-- A node holds a lease until the job ends or the node dies, however long that takes. Earlier holders were not nodes.
UPDATE job_leases SET holder = '';
