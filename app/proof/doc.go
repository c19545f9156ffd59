// Package proof contains tests that run the real program in a separate process, because they kill it. After kill -9,
// everything that was acknowledged is there, once and in order.
package proof
