ALTER TABLE realm_events SET (autovacuum_vacuum_scale_factor = 0.02);
