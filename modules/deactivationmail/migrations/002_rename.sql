-- contract, required: renames a table; locks it for a moment.
ALTER TABLE farewells RENAME TO deactivation_mails;
