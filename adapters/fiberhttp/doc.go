// Package fiberhttp serves the modules' endpoints over HTTP with Fiber. It reads parameters, authenticates, checks
// access, applies limits, calls the use case and writes the response. *fiber.Ctx does not leave this package.
//
// A request passes through request.go from top to bottom. binder.go and decode.go bind parameters to the route's
// request struct, response.go writes responses, compress.go compresses large ones, status.go maps error codes to
// statuses, poll.go holds polls (park.go holds them without a goroutine, and poll_workers.go responds to them), conn.go
// wraps connections, and body.go prevents unread bodies from being parsed as the next request.
package fiberhttp
