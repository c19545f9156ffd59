// Package proof holds the tests that need the real program as a process of its own, because they kill it: what was
// acknowledged is there after kill -9, once, and in order.
package proof
