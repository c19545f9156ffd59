package bench_test

import (
	"testing"
	"time"

	"github.com/stoachat/stoa/app/internal/doctor"
)

// BenchmarkDoctor measures how long the checks of stoa doctor take in a realm with 100,000 messages, or a million with
// STOA_BENCH_LARGE.
func BenchmarkDoctor(b *testing.B) {
	sizes := grownSizes()
	g := newGrown(b, sizes[len(sizes)-1])
	g.RunJob("messages.search")
	for b.Loop() {
		begun := time.Now()
		err := g.App.ExamineRestored(b.Context(), g.App.Ports.Blobs, true, func(r doctor.Result) {
			if r.Status == doctor.Warn || r.Status == doctor.Fail {
				b.Logf("%s %s: %v", r.Status, r.Check, r.Found)
			}
		})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(begun).Seconds(), "doctor-s")
	}
}
