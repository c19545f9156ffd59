// Package cli is the command line of a server: what stoa --help tells. Results go to standard output, logs and errors
// to standard error. Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 130 stopped by force.
package cli
