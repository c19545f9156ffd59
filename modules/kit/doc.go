// Package kit defines modules and their contributions. A module is a value returned by Define or Provide; its wire
// function receives configuration and ports and returns everything that the module adds: endpoints, sections of
// /register, events, hooks, migrations, jobs. It does no I/O and starts no goroutine. modules/README.md explains how to
// write one.
package kit
