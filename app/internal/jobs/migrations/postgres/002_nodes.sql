-- A lease is held until the job ends or its node dies, whatever the time. Holders recorded so far are not nodes.
UPDATE job_leases SET holder = '';
