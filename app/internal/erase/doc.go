// Package erase deletes realms whose retention period is over: first the data that modules store outside the database,
// then the rows of all tables that modules declare, and last the realm with its log. Each batch of rows has its own
// transaction, so that other work is not blocked. Because the realm itself goes last, the next run continues an
// interrupted one.
package erase
