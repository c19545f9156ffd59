// Package cli implements a server's command line. Results go to standard output, logs and errors to standard error. The
// exit codes are 0 for success, 1 for failure, 2 for wrong usage or configuration, and 130 if stopped by force.
//
// All commands may run while a server uses the same database, also SQLite, except a second serve: it would run jobs and
// hold events that the first one does not know of.
package cli
