// Package kit is what a module is made of. A module is a value that Define or Provide makes; its wire function gets
// config and ports and returns one struct with everything that the module adds: endpoints, sections of /register,
// events, hooks, migrations, jobs. It does no I/O and starts no goroutine. See modules/README.md for how to write one.
package kit
