// Package cli implements a server's command line. Results go to standard output, logs and errors to standard error. The
// exit codes are 0 for success, 1 for failure, 2 for wrong usage or configuration, and 130 if stopped by force.
package cli
