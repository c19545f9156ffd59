// Package wasm runs modules that operators install while the server runs: packages with code for WebAssembly, here
// called guests. README.md explains how to write one, and what it is isolated from.
//
// A package (file.go) contains a manifest (manifest.go), which asks for permissions, and code. Commands install, list
// and remove packages (install.go). Guests are shared facts of an organization (shared.go), so that all nodes run the
// same version at every position of the log, and an upgrade is one entry.
//
// The engine (engine.go) compiles the code, and calls a guest in a machine of its own, which ends with the call. What
// a guest can ask for is in acts.go. Each act checks the permission, runs as the guest's bot with the rules of the API,
// and is a transaction of its own.
//
// A guest is called for requests of clients (routes.go), for messages and at intervals (follow.go); run.go limits and
// counts the calls. Messages are queued in the commit that sends them, and passed on by a job, each at most once, so
// that a guest delays nobody. A guest that fails five times within a minute is disabled: its failures are logged, and
// health is degraded until another version is installed.
//
// Tables: wasm_modules, wasm_values (what guests store) and wasm_calls (messages that guests have not seen yet).
//
// Events: wasm_modules/changed, to nobody. Hooks: message.Sent. Ports: it uses Accounts, MessageActions, Messages,
// Sender and Webhooks.
package wasm
