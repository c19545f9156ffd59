// Package server assembles and runs a server: config, registry, fx, database, kernel, jobs, edge, started in this order
// and stopped in reverse. Commands and tests use it; no other package starts anything.
package server
