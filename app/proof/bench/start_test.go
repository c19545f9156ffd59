package bench_test

import (
	"os"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// BenchmarkStart has the budget start: a new process answers its first request within 300 ms, and its memory and binary
// are at most 60 MiB each.
func BenchmarkStart(b *testing.B) {
	s := newServer(b)
	s.Start()
	var first []time.Duration
	for b.Loop() {
		for range 10 {
			s.Kill()
			first = append(first, timed(s.Start))
		}
	}
	file, err := os.Stat(harness.Binary(b))
	if err != nil {
		b.Fatal(err)
	}
	report(b, "first-ms", milliseconds(median(first)))
	report(b, "MiB", float64(s.resident())/(1<<20))
	report(b, "binary-MiB", float64(file.Size())/(1<<20))
}
