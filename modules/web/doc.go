// Package web contains the web client, and serves it to logged-in users and spectators.
//
// The client is written in TypeScript in the folder ui. make web builds it into the folder dist, which is embedded into
// the server; make build and make run do so too if Node.js is installed. A server built without it has no client, which
// its home page mentions.
//
// The client's files have URLs under /static/web/. Names in the folder assets contain a hash, so browsers cache them
// forever. Each may have compressed copies with the extensions .br and .gz. The module homepage serves the page itself
// under / (ports.HomePage), with the CSRF token that the client repeats in requests. Except for media in messages, the
// page may load nothing from elsewhere. It may insert markup only under the trusted types policies listed in its
// Content-Security-Policy. Without a token the client acts as a spectator.
//
// Other modules add to the client with kit.Web: their files are under /static/web/modules/, and the page lists their
// scripts. Modules that are installed while the server runs answer webpart.Installed, and serve their files themselves.
// The manifest contains the organization's name and icon; worker.js is the service worker, which caches the
// page for use without a network.
//
// Tables, events, jobs: none.
package web
