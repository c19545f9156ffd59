ALTER TABLE farewells RENAME TO deactivation_mails;
