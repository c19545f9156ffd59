// Package cli implements the command line of a server. Results go to standard output, logs and errors to standard
// error. Exit codes: 0 success, 1 failure, 2 wrong usage or configuration, 130 stopped by force.
package cli
