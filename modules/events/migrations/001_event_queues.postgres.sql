-- Rows are updated often: free space on each page keeps the new versions there.
ALTER TABLE event_queues SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
