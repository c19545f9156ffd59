// Package server puts a server together and runs it: config, registry, fx, database, kernel, jobs, edge, in this order,
// and back in the other. Commands and tests use it; nobody else starts anything.
package server
