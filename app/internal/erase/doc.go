// Package erase deletes realms whose retention time is over: first what modules keep outside the database, then the
// rows of all tables declared with kit.Rows, and last the realm with its log. It works in blocks of one transaction
// each, so that other work need not wait. The realm itself goes last, so that the next run continues an interrupted
// one.
package erase
