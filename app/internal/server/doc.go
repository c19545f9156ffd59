// Package server assembles and runs a server: configuration, registry, fx, database, kernel, jobs and HTTP, started in
// this order and stopped in reverse. Commands and tests use it; no other package starts anything.
package server
