// Package erase deletes what belongs to a realm whose time is over: what modules keep outside of the database, then the
// rows of all tables that they have declared (kit.Rows), at last the realm itself with its log. All in blocks, each in
// a transaction of its own, so that others need not wait. What is deleted is not looked for again, and the realm goes
// last: a run that is cut off is taken up by the next one.
package erase
