package proof_test

import (
	"os"
	"testing"
	"time"
)

// BenchmarkStart has the budget start: a new process answers its first request within 300 ms, and its memory and binary
// are at most 60 MiB each.
func BenchmarkStart(b *testing.B) {
	s := newServer(b)
	s.start()
	var first []time.Duration
	for b.Loop() {
		for range 10 {
			s.kill()
			first = append(first, timed(s.start))
		}
	}
	file, err := os.Stat(binary(b))
	if err != nil {
		b.Fatal(err)
	}
	report(b, "first-ms", milliseconds(median(first)))
	report(b, "MiB", float64(s.resident())/(1<<20))
	report(b, "binary-MiB", float64(file.Size())/(1<<20))
}
