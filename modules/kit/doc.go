// Package kit defines modules and their contributions. A module is a value returned by Define or Provide. Its wire
// function receives the configuration and ports, and returns the module's contributions: endpoints, sections of
// /register, events, hooks, migrations, jobs. It does no I/O and starts no goroutines. modules/README.md explains how
// to write a module.
package kit
