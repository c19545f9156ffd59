// Package openapi describes the API of a server as an OpenAPI 3.1 document. It derives the document from what modules
// declare: routes with their access rules and limits, the Go types of parameters, responses, events and sections of
// /register, and Words for what the types do not say.
//
// The document describes what a client receives that has all capabilities of the current feature level. Keys that only
// the names of older clients make necessary are not in it.
package openapi
