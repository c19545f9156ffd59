-- Rows are updated often: free space on each page keeps the new versions there.
ALTER TABLE read_floor SET (fillfactor = 70);
ALTER TABLE read_chunks SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
