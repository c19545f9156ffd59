// Package web contains the client for browsers, and gives it to whoever is logged in with one.
//
// The client is written in TypeScript in the folder ui. make web builds it into the folder dist, which is embedded
// into the server; make build and make run do so too where Node.js is installed. A server that was built without it
// has no client, and says so on its home page.
//
// The client's files have addresses under /static/web/. Names in the folder assets contain a hash, so browsers keep
// them for ever. Each may have a compressed copy beside it, whose name ends with .br or .gz. The page itself is
// answered under / by the module homepage (ports.WebClient), with the token that the client repeats in requests. It
// may load nothing from elsewhere but what messages contain, and inserts markup only by the policies of trusted types
// that it names.
//
// There are no tables, events or jobs.
package web
