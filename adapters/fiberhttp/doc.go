// Package fiberhttp is the HTTP edge: it carries the modules' rows on Fiber. It reads parameters, authenticates, checks
// access, limits, calls the use case and writes the one form of answer; no *fiber.Ctx gets any further than this
// package.
//
// A request goes through exchange.go from top to bottom. plan.go and decode.go turn parameters into the row's request
// struct, answer.go writes, status.go is the table from error code to status, poll.go holds polls (park.go does it
// without a goroutine, desk.go answers those), conn.go is a connection, body.go keeps streamed bodies from leaking into
// the next request.
package fiberhttp
