// Package proof contains tests that run the real program in a separate process, because they kill it: after kill -9,
// everything acknowledged is there, once, and in order.
package proof
