// Package erase deletes realms whose retention period is over: first the data that modules store outside the database,
// then the rows of all tables that modules declare, and last the realm with its log. Each batch of rows has its own
// transaction, so that other work is not blocked. Because the realm itself goes last, the next run continues an
// interrupted one.
//
// It also erases the data of a person on request (stoa user erase): the account is deactivated and loses its profile,
// modules delete what they keep besides rows, the rows that name the person are deleted or remain as their tables
// declare, the account loses its address, and the log of events is shortened, since its entries contain what has
// changed.
package erase
